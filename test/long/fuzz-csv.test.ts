// The campaign of CSV files, longer: FUZZ_SEED makes another one of it, FUZZ_SECONDS a longer one.
import '../fuzz/csv.test.ts';
