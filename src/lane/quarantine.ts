// What is held against statements: which are kept out of a kind of lane, since they ended one or could not be stopped
// there, and which are not run at all, since they ended a process in which they were alone. Time comes in as an argument.

import { createShapeCache } from '../base/cache.ts';
import type { Observe } from '../base/observe.ts';
import type { StatementJob } from '../wire/protocol.ts';
import { statementKey } from './ticket.ts';

/** Keeps statements out of one kind of lane; the long lanes answer them. */
export interface Quarantine {
  readonly from: 'rows' | 'scan';
  /** It was the cause: it ended the lane alone, or could not be stopped, or its memory could not be bounded. */
  strike(job: StatementJob, why: string, now: number): void;
  /** It ran when the lane ended, and others too: any of them may have been the cause. */
  suspect(job: StatementJob, why: string, now: number): void;
  /** Not to be run in this kind of lane. */
  barred(job: StatementJob, now: number): boolean;
  /** It ran cleanly there. */
  ran(job: StatementJob): void;
  /** Whether its shape did so. */
  proven(job: StatementJob): boolean;
  /** The lane ended. All that it gives back in one turn of the event loop is one death. */
  death(now: number): void;
  /** The lane ends often: what is not proven is not tried. */
  endsOften(now: number): boolean;
  /** It ended of late: it may again, where something that is not proven is tried. */
  endedLately(now: number): boolean;
}

/** Statements, with their values, that no lane runs. */
export interface Refusals {
  /** Alone in a process, it ended it. */
  convict(job: StatementJob, why: string, now: number): void;
  refused(job: StatementJob, now: number): boolean;
}

const DEATHS_OF_DISTRUST = 3;
const DISTRUST_MS = 30_000;
const LATELY_MS = 10 * 60_000;
/**
 * Strikes until a shape is barred whatever its values are; each such statement is barred at once. One is no proof: on
 * a machine that is overrun, an innocent statement cannot be stopped in time either.
 */
const STRIKES = 2;
/** The same for a shape with clean runs: a client must not take it away from others by a bad value or two. */
const STRIKES_OF_KNOWN = 5;
/** Ends beside which a statement of a known shape, or of a row lane, may have run until it is barred itself. */
const SUSPICIONS = 2;
/** What is proven holds over swaps of the snapshot, but not for ever: it may have been the machine. */
const FORGIVEN_MS = 10 * 60_000;
const HELD = 1_000;
const KNOWN_SHAPES = 10_000;

/** Keys, each until its time. */
function createHeld() {
  const untils = createShapeCache<number>(HELD);
  return {
    add(key: string, now: number): void {
      untils.set(key, now + FORGIVEN_MS);
    },
    holds(key: string, now: number): boolean {
      const until = untils.get(key);
      if (until === undefined) return false;
      if (now < until) return true;
      untils.delete(key);
      return false;
    },
    get isEmpty() {
      return untils.size === 0;
    },
  };
}

/** @param from the kind of lane that it keeps statements out of */
export function createQuarantine(from: 'rows' | 'scan', observe: Observe): Quarantine {
  const known = createShapeCache<true>(KNOWN_SHAPES);
  /** By shape or by {@link statementKey}. */
  const barred = createHeld();
  const strikes = createShapeCache<number>(HELD);
  const suspicions = createShapeCache<number>(HELD);
  const deaths: number[] = [];
  let noted = false;

  const bar = (key: string, job: StatementJob, why: string, now: number): void => {
    barred.add(key, now);
    observe({ type: 'shape-barred', from, shape: job.shape, why });
  };

  return {
    from,
    strike(job, why, now) {
      const count = (strikes.get(job.shape) ?? 0) + 1;
      const isProven = count >= (known.peek(job.shape) === true ? STRIKES_OF_KNOWN : STRIKES);
      if (isProven) strikes.delete(job.shape);
      else strikes.set(job.shape, count);
      bar(isProven ? job.shape : statementKey(job), job, why, now);
    },
    suspect(job, why, now) {
      const key = statementKey(job);
      const count = (suspicions.get(key) ?? 0) + 1;
      // What has run cleanly before is hardly the cause, where something beside it has not. Nor is what a row lane ran:
      // it is bounded, so it was the machine.
      const isLikely = count >= SUSPICIONS || (from === 'scan' && known.peek(job.shape) !== true);
      if (isLikely) suspicions.delete(key);
      else suspicions.set(key, count);
      if (isLikely) bar(key, job, why, now);
    },
    barred: (job, now) =>
      !barred.isEmpty && (barred.holds(job.shape, now) || barred.holds(statementKey(job), now)),
    ran({ shape }) {
      if (known.get(shape) === undefined) known.set(shape, true);
    },
    proven: ({ shape }) => known.peek(shape) === true,
    death(now) {
      if (noted) return;
      noted = true;
      setImmediate(() => {
        noted = false;
      });
      deaths.push(now);
      if (deaths.length > DEATHS_OF_DISTRUST) deaths.shift();
    },
    endsOften(now) {
      const often = deaths.at(-DEATHS_OF_DISTRUST);
      return often !== undefined && now - often <= DISTRUST_MS;
    },
    endedLately(now) {
      const last = deaths.at(-1);
      return last !== undefined && now - last <= LATELY_MS;
    },
  };
}

export function createRefusals(observe: Observe): Refusals {
  const convicted = createHeld();
  return {
    convict(job, why, now) {
      convicted.add(statementKey(job), now);
      observe({ type: 'shape-barred', from: 'all', shape: job.shape, why });
    },
    refused: (job, now) => !convicted.isEmpty && convicted.holds(statementKey(job), now),
  };
}
