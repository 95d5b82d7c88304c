// Whose turn it is at a few places where statements run, one at each: the client's that used least of them lately. The
// last free place is kept for those whose statements are short, and what has run for longer than theirs do is stopped
// for them, and put back. Time comes in as an argument; whoever owns the places runs and stops.
import { createFairQueue } from './fair-queue.ts';
import { createHabits } from './habits.ts';

export interface Turns<T> {
  readonly waiting: number;
  /** It waits. Gives the one that there is no room for: the last of the longest line, or the item itself. */
  push(item: T, now: number): T | undefined;
  /** @param free places. Takes out of the line what is to run now */
  next(free: number, now: number): T | undefined;
  /** It runs at once, without having waited: false where it has to wait. */
  begin(item: T, free: number, now: number): boolean;
  /** Its answer is under way: it cannot be run again, and the time from now on is its reader's. */
  sent(item: T, now: number): void;
  /** It runs no more; of one that does not run, nothing. */
  ended(item: T, now: number): void;
  /** It was stopped, and waits again, before the others of its client. */
  putBack(item: T, now: number): void;
  /** Takes out of the line what is no longer wanted. True: it was there. */
  remove(item: T, now: number): boolean;
  /** What is to be stopped for one that waits and finds no place. Says so once. */
  stop(free: number, now: number): T | undefined;
}

export interface TurnsOptions {
  /** Those that may wait. */
  readonly max: number;
  readonly places: number;
  /** The lowest class of length ends here, and each other at four times the one before. */
  readonly sliceMs: number;
  /** Whether the last free place is for clients with shorter statements than those that run, or only while such come. */
  readonly spare: 'always' | 'while needed';
}

interface Running {
  readonly since: number;
  sent: boolean;
  /** When it was told to stop. */
  stopAt: number | undefined;
}

/** A shorter one came: for so long the next one is waited for. Longer, where a place is kept in any case. */
const NEEDED_MS = { 'while needed': 1_000, always: 10_000 } as const;
/** Clients of which that is known: the shortest. */
const CAME = 64;
/** What is told to stop has so long until another one is. */
const STOP_MS = 500;
/** What was stopped would have run for longer still. */
const AT_LEAST = 4;
/** Longer ones are as good as endless. */
const LAST_CLASS = 6;
/** Who is not known comes after those that are known to be short, and to be of the next class: a machine may be slow. */
const UNKNOWN_CLASS = 1.5;

/** By so much at least do classes differ. */
const SHORTER = 0.5;

export function createTurns<T extends { readonly client: string }>(options: TurnsOptions): Turns<T> {
  const { max, places, sliceMs, spare } = options;
  const queue = createFairQueue<T>(max);
  const habits = createHabits();
  const running = new Map<T, Running>();
  /** Clients, and when something of theirs came or was looked at last. */
  const came = new Map<string, number>();

  const classOf = (ms: number): number =>
    ms <= sliceMs ? 0 : Math.min(LAST_CLASS, Math.ceil(Math.log2(ms / sliceMs) / 2));
  /** What runs counts already. */
  const timesOf = (client: string, now: number): readonly number[] =>
    [...running].flatMap(([item, { since, sent }]) => (sent || item.client !== client ? [] : [now - since]));
  const lengthOf = (client: string, now: number): number => {
    const { longest } = habits.of(client, now);
    const known = longest === undefined ? UNKNOWN_CLASS : classOf(longest);
    return Math.max(known, ...timesOf(client, now).map(classOf));
  };
  const usedBy = (client: string, now: number): number =>
    timesOf(client, now).reduce((sum, ms) => sum + ms, habits.of(client, now).used);

  const comes = (client: string, now: number): void => {
    came.set(client, now);
    if (came.size <= CAME) return;
    let longest: string | undefined;
    for (const each of came.keys())
      if (longest === undefined || lengthOf(each, now) > lengthOf(longest, now)) longest = each;
    if (longest !== undefined) came.delete(longest);
  };
  const shortest = (clients: Iterable<string>, now: number): number =>
    Math.min(LAST_CLASS, ...[...clients].map((each) => lengthOf(each, now)));

  /** The longest that may take the last place now. */
  const keptFor = (now: number): number => {
    const waits = queue.first((each) => lengthOf(each, now));
    if (waits !== undefined) comes(waits, now);
    for (const [client, at] of came) if (now - at >= NEEDED_MS[spare]) came.delete(client);
    if (places === 1) return LAST_CLASS;
    const needed = shortest(came.keys(), now);
    if (spare === 'while needed') return needed;
    if (running.size === 0) return LAST_CLASS;
    const clients = [...running.keys()].map(({ client }) => client);
    return Math.min(needed, shortest(clients, now) - SHORTER);
  };
  const mayTake = (client: string, free: number, kept: number, now: number): boolean =>
    free > 1 || (free === 1 && lengthOf(client, now) <= kept);
  const start = (item: T, now: number): void => {
    running.set(item, { since: now, sent: false, stopAt: undefined });
  };

  return {
    get waiting() {
      return queue.size;
    },
    push(item, now) {
      const refused = queue.push(item.client, item);
      if (refused !== item) habits.waits(item.client, 1, now);
      if (refused !== undefined && refused !== item) habits.waits(refused.client, -1, now);
      return refused;
    },
    next(free, now) {
      if (free <= 0) return undefined;
      const kept = keptFor(now);
      const client = queue.first((each) => (mayTake(each, free, kept, now) ? usedBy(each, now) : undefined));
      const item = client === undefined ? undefined : queue.shift(client);
      if (item === undefined) return undefined;
      start(item, now);
      habits.waits(item.client, -1, now);
      return item;
    },
    begin(item, free, now) {
      comes(item.client, now);
      if (queue.size > 0 || !mayTake(item.client, free, keptFor(now), now)) return false;
      start(item, now);
      return true;
    },
    sent(item, now) {
      const run = running.get(item);
      if (run === undefined) return;
      habits.ran(item.client, now - run.since, now);
      run.sent = true;
    },
    ended(item, now) {
      const run = running.get(item);
      if (run === undefined) return;
      running.delete(item);
      // One that came too late to be begun says nothing.
      if (!run.sent && now > run.since) habits.ran(item.client, now - run.since, now);
    },
    putBack(item, now) {
      const run = running.get(item);
      if (run === undefined) return;
      running.delete(item);
      habits.ran(item.client, now - run.since, now, AT_LEAST * (now - run.since));
      queue.unshift(item.client, item);
      habits.waits(item.client, 1, now);
    },
    remove(item, now) {
      if (!queue.remove(item.client, item)) return false;
      habits.waits(item.client, -1, now);
      return true;
    },
    stop(free, now) {
      const kept = keptFor(now);
      const client = queue.first((each) => lengthOf(each, now));
      if (client === undefined || mayTake(client, free, kept, now)) return undefined;
      const its = lengthOf(client, now);
      let found: { readonly item: T; readonly run: Running; readonly length: number } | undefined;
      for (const [item, run] of running) {
        if (run.sent) continue;
        const length = classOf(now - run.since);
        // A place will be free soon.
        if (length <= its || (run.stopAt !== undefined && now - run.stopAt < STOP_MS)) return undefined;
        if (item.client === client || run.stopAt !== undefined) continue;
        // Of those that have run for as long, the last: it loses least.
        if (found === undefined || length >= found.length) found = { item, run, length };
      }
      if (found === undefined) return undefined;
      found.run.stopAt = now;
      return found.item;
    },
  };
}
