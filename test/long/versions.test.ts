// Readers beside a writer for longer.
import '../routes/versions.test.ts';
