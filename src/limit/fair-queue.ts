// A waiting line: bounded, and fair: clients are served in turn, so that one who sends a hundred statements does
// not stand in front of one who sends one, and a full line makes room at the cost of whoever fills it.

export interface FairQueue<T> {
  readonly size: number;
  /** Gives the one that there is no room for: the last of the longest line, or the item itself. */
  push(client: string, item: T): T | undefined;
  /** It goes before all others of its client, and has a place in any case. */
  unshift(client: string, item: T): void;
  /** The client whose turn is next: the first of those that weigh least; where it is undefined, it has no turn now. */
  first(weigh: (client: string) => number | undefined): string | undefined;
  clients(): Iterable<string>;
  /** The next of this client, whose turn is over with that. */
  shift(client: string): T | undefined;
  /** Takes out what is no longer wanted. True: it was there. */
  remove(client: string, item: T): boolean;
}

export function createFairQueue<T>(max: number): FairQueue<T> {
  /** Clients in the order of their turns; each with its own line. */
  const lines = new Map<string, T[]>();
  let size = 0;

  const add = (client: string, item: T): void => {
    const line = lines.get(client);
    if (line === undefined) lines.set(client, [item]);
    else line.push(item);
    size += 1;
  };
  /** Only a full line is searched: it has at most `max` clients. */
  const longest = (): readonly [string, T[]] | undefined => {
    let found: readonly [string, T[]] | undefined;
    for (const entry of lines) if (found === undefined || entry[1].length > found[1].length) found = entry;
    return found;
  };
  const remove = (client: string, line: T[], at: number): T | undefined => {
    const [item] = line.splice(at, 1);
    if (line.length === 0) lines.delete(client);
    size -= 1;
    return item;
  };

  return {
    get size() {
      return size;
    },
    push(client, item) {
      if (size < max) {
        add(client, item);
        return undefined;
      }
      const [greedy, line] = longest() ?? [];
      // Whoever has as many as the greediest pays for itself.
      if (greedy === undefined || line === undefined || line.length <= (lines.get(client)?.length ?? 0) + 1)
        return item;
      const evicted = remove(greedy, line, line.length - 1);
      add(client, item);
      return evicted;
    },
    unshift(client, item) {
      lines.set(client, [item, ...(lines.get(client) ?? [])]);
      size += 1;
    },
    first(weigh) {
      let found: string | undefined;
      let least = Number.POSITIVE_INFINITY;
      for (const client of lines.keys()) {
        const weight = weigh(client);
        if (weight === undefined || weight >= least) continue;
        found = client;
        least = weight;
      }
      return found;
    },
    clients: () => lines.keys(),
    shift(client) {
      const line = lines.get(client);
      if (line === undefined) return undefined;
      const item = remove(client, line, 0);
      // Whose turn it was goes to the end.
      if (line.length > 0) {
        lines.delete(client);
        lines.set(client, line);
      }
      return item;
    },
    remove(client, item) {
      const line = lines.get(client);
      const at = line?.indexOf(item) ?? -1;
      if (line === undefined || at < 0) return false;
      remove(client, line, at);
      return true;
    },
  };
}
