// Larger floods.
import '../wire/rates.test.ts';
