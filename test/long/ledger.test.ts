// More orders of messages about one bucket.
import '../limit/ledger.test.ts';
