// Stores that go wrong, with those troubles that take longer to be seen.
import '../publish/faults.test.ts';
