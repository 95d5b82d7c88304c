// The campaign of fuzzed statements, longer: FUZZ_SEED makes another one of it, FUZZ_SECONDS a longer one.
import '../fuzz/statements.test.ts';
