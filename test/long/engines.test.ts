// The whole written corpus and many generated statements by every engine.
import '../differential/engines.test.ts';
