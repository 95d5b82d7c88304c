// More ends of several fronts.
import '../fronts/deaths.test.ts';
