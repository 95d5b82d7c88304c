// More of the corpus with each technique switched off.
import '../differential/techniques.test.ts';
