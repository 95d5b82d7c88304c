// More random changes of a source, each compared with a whole import.
import '../ingest/update.test.ts';
