// Fifty killed imports instead of a few.
import '../ingest/kill.test.ts';
