// The whole written corpus on two fronts, beside one.
import '../fronts/answers.test.ts';
