// The waiting line of a lane: bounded, and fair: clients are served in turn, so that one who sends a hundred
// statements does not stand in front of one who sends one.

export interface FairQueue<T> {
  readonly size: number;
  /** False: the line is full. */
  push(client: string, item: T): boolean;
  /** The next in turn, or undefined. */
  shift(): T | undefined;
  /** Takes out what is no longer wanted. True: it was there. */
  remove(client: string, item: T): boolean;
}

export function createFairQueue<T>(max: number): FairQueue<T> {
  /** Clients in the order of their turns; each with its own line. */
  const lines = new Map<string, T[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    push(client, item) {
      if (size >= max) return false;
      const line = lines.get(client);
      if (line === undefined) lines.set(client, [item]);
      else line.push(item);
      size += 1;
      return true;
    },
    shift() {
      const first = lines.entries().next();
      if (first.done === true) return undefined;
      const [client, line] = first.value;
      const item = line.shift();
      // Whose turn it was goes to the end.
      lines.delete(client);
      if (line.length > 0) lines.set(client, line);
      size -= 1;
      return item;
    },
    remove(client, item) {
      const line = lines.get(client);
      const at = line?.indexOf(item) ?? -1;
      if (line === undefined || at < 0) return false;
      line.splice(at, 1);
      if (line.length === 0) lines.delete(client);
      size -= 1;
      return true;
    },
  };
}
