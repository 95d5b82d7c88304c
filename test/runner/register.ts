// Loaded before a test file: what is imported from src/ comes out of dist/ instead, as `make build` made it, and the
// test's own modules come compiled. What is shipped is tested, and a process starts at once.
import { writeSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

process.setSourceMapsEnabled(true);
register('./hooks.js', import.meta.url);

// The runner hears by it that the event loop turns; it alone holds nothing open.
const BEAT_MS = 1_000;
if (isMainThread && process.env['TEST_RUNNER'] === String(process.ppid))
  setInterval(() => {
    try {
      writeSync(3, '.');
    } catch {
      // A full pipe says enough.
    }
  }, BEAT_MS).unref();
