// Sums of reals in many more runs than the quick ring has.
import '../dialect/real-sums.test.ts';
