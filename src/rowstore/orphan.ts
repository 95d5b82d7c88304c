// A thread that ends its process when the front is gone: a long statement on the process's own thread hears nothing.
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 250;

if (!isMainThread) {
  const front = process.ppid;
  setInterval(() => {
    if (process.ppid !== front) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}
