// Children that keep ending, for longer.
import '../lane/machine.test.ts';
