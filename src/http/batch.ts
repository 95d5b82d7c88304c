// Requests that come in one turn of the event loop are answered together at its end, in their order. Reading a request
// and answering it are much code each: one kind of work for all connections, and then the other, finds it in the
// processor's caches, and takes half the time of going through both for each connection (docs/PERFORMANCE.md).

/** @returns what is given to it is handed to `work` at the end of this turn */
export function inBatches<T>(work: (item: T) => void): (item: T) => void {
  let batch: T[] = [];
  const runAll = (): void => {
    const items = batch;
    batch = [];
    for (const item of items) work(item);
  };
  return (item) => {
    batch.push(item);
    if (batch.length === 1) setImmediate(runAll);
  };
}
