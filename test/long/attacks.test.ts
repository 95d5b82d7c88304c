// Attacks that may go on for longer.
import '../gate/attacks.test.ts';
