// The campaigns of fuzzed HTTP, longer: FUZZ_SEED makes others of them, FUZZ_SECONDS longer ones.
import '../fuzz/http.test.ts';
