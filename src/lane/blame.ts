// What the end of a lane says of the statements that were in it.
import type { Job, StatementJob } from '../wire/protocol.ts';
import type { Loss } from './entry.ts';
import type { Lane } from './lane.ts';
import type { Quarantine } from './quarantine.ts';

export interface Blame {
  /** It ran cleanly there, to the end of its answer. */
  ran(job: Job, on: Lane): void;
  /** A statement was lost with it. */
  ended(lane: Lane, now: number): void;
  /** It was lost as the lane ended, and nothing of it was sent. */
  lost(job: StatementJob, from: Lane, loss: Loss, why: string, now: number): void;
  /** The lane ended in the middle of its answer: it is not run again, and may have been the cause all the same. */
  cut(job: StatementJob, from: Lane, loss: Loss, why: string, now: number): void;
}

/** @param heldAgainst what is held against statements in lanes of that kind; undefined: nothing is */
export function createBlame(heldAgainst: (lane: Lane) => Quarantine | undefined): Blame {
  const ended = (lane: Lane, now: number): void => {
    if (!lane.wear.spent) heldAgainst(lane)?.death(now);
  };
  const lost: Blame['lost'] = (job, from, loss, why, now) => {
    const quarantine = heldAgainst(from);
    // Row lanes run what is bounded: where one ends, no statement is proven to be the cause.
    if (loss === 'running' || quarantine?.from === 'rows') quarantine?.suspect(job, why, now);
    else if (loss !== 'beside') quarantine?.strike(job, why, now);
  };
  return {
    ran(job, on) {
      if (job.kind === 'query') heldAgainst(on)?.ran(job);
    },
    ended,
    lost,
    cut(job, from, loss, why, now) {
      ended(from, now);
      lost(job, from, loss, why, now);
    },
  };
}
