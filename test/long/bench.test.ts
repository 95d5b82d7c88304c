// The whole bench on tiny data: every workload and study on every target.
import '../bench/smoke.test.ts';
