// Ten times the generated statements, against the real reference.
import '../differential/generated.test.ts';
