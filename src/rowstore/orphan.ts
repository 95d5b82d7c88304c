// A thread that ends its process when the front is gone: a long statement on the process's own thread hears nothing.
import { isMainThread, workerData } from 'node:worker_threads';

const LOOK_MS = 250;

if (!isMainThread) {
  // As its process saw it: the front may be gone by now.
  const front = workerData as number;
  setInterval(() => {
    if (process.ppid !== front) process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}
