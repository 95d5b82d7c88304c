// Which process of the scan lane a statement goes to. What is sent in parts cannot be run again where its process
// ends: so the one that sends such answers is given only shapes that have run there cleanly before, and all others are
// run in a second process beside it, which stands by, or is started when it is needed and ended when it is not.
import type { StatementJob } from '../wire/protocol.ts';
import type { Lane } from './lane.ts';
import type { Quarantine } from './quarantine.ts';

export interface ScansOptions {
  /** It answers all but what {@link ScansOptions.startApart} is for. */
  readonly main: Lane;
  /** Another process for what is not proven; undefined: there is to be none. */
  readonly startApart: (() => Lane) | undefined;
  /** Whether the second one, while it has nothing to do, is given what is not proven though nothing is sent beside it. */
  readonly prefersApart: boolean;
  readonly quarantine: Quarantine;
}

export interface Scans {
  /** Undefined: no process of the scan lane is to run it. */
  placeOf(job: StatementJob, now: number): Lane | undefined;
  /** The second process, started where it is not there. Undefined: it does not start, or there is to be none. */
  second(): Lane | undefined;
  /** The second process is there from now on, whether anything comes for it or not. */
  standBy(): void;
  /** The main one begins to send an answer in parts. */
  streams(now: number): void;
  /** Whether it is one of the scan lane's. */
  has(lane: Lane): boolean;
  /** The second process, while there is one. */
  readonly apart: Lane | undefined;
  close(): void;
}

/** Where an answer was begun to be sent in parts, the next one is likely as well. */
const STREAMED_MS = 60_000;
/** The second process is ended when nothing came for so long. */
const IDLE_MS = 60_000;

export function createScans({ main, startApart, prefersApart, quarantine }: ScansOptions): Scans {
  let apart: Lane | undefined;
  let standsBy = false;
  let streamedAt = Number.NEGATIVE_INFINITY;
  let idle: NodeJS.Timeout | undefined;

  const endLater = (): void => {
    if (standsBy) return;
    clearTimeout(idle);
    idle = setTimeout(endIdle, IDLE_MS).unref();
  };
  const endIdle = (): void => {
    if ((apart?.pending ?? 0) > 0) {
      endLater();
      return;
    }
    void apart?.close();
    apart = undefined;
  };
  const second = (): Lane | undefined => {
    apart ??= startApart?.();
    if (apart === undefined) return undefined;
    endLater();
    return apart.down ? undefined : apart;
  };

  return {
    placeOf(job, now) {
      if (quarantine.barred(job, now)) return undefined;
      const proven = quarantine.proven(job);
      if (!proven && quarantine.endsOften(now)) return undefined;
      // An answer in parts is sent from there at once; begun in the main one, it would have to be begun anew.
      if (!proven && prefersApart && apart?.serving === true && apart.pending === 0) return second();
      if (proven || !(main.streaming || now - streamedAt <= STREAMED_MS)) return main.down ? undefined : main;
      if (startApart !== undefined) return second();
      return main.down || quarantine.endedLately(now) ? undefined : main;
    },
    second,
    standBy() {
      standsBy = true;
      clearTimeout(idle);
      second();
    },
    streams(now) {
      streamedAt = now;
    },
    has: (lane) => lane === main || lane === apart,
    get apart() {
      return apart;
    },
    close: () => clearTimeout(idle),
  };
}
