// What the bench must notice, all of it.
import '../bench/honesty.test.ts';
