// What supervisor and front tell each other besides jobs, as plain data: FRAME.tell of wire/frames.ts, in JSON. And how
// the state of the data crosses.
import type { Config } from '../cli/config.ts';
import type { Grant } from '../limit/ledger.ts';
import type { Family } from '../metrics/exposition.ts';
import type { FollowReport, Serving } from '../routes/serving.ts';
import type { Failed, Job, SnapshotRef } from '../wire/protocol.ts';

/** What a run frame says. */
export interface RunOrder {
  readonly job: Job;
  readonly client: string;
  /** Id of the snapshot to be read; not given: the one in use. */
  readonly snapshot?: string | undefined;
  /** See answer/engine.ts. */
  readonly elsewhere?: Failed | undefined;
}

/** A snapshot that is answered from. */
export interface ServedSnapshot {
  readonly ref: SnapshotRef;
  readonly serving: Serving;
}

/** The same with all that a front must know of it, as it crosses. */
export interface ServedState {
  readonly ref: SnapshotRef;
  readonly serving: Omit<Serving, 'versions' | 'chains'> & {
    readonly versions: readonly (readonly [table: string, version: string])[];
    readonly chains: readonly number[];
  };
}

/** The same of one that comes after it: of tens of thousands of tables only what is other. */
export interface NextState {
  readonly ref: SnapshotRef;
  /** Id of the snapshot before. */
  readonly after: string;
  readonly serving: Omit<ServedState['serving'], 'versions'>;
  /** Of tables that came or changed; null of those that went. */
  readonly versions: readonly (readonly [table: string, version: string | null])[];
}

export type ToFront =
  /** The first, once: be this front, and listen. */
  | {
      readonly type: 'begin';
      readonly config: Config;
      /** The one that all fronts share, where the setting leaves the choice. */
      readonly port: number;
      readonly served: ServedState;
      readonly following: FollowReport;
    }
  /**
   * Make ready to answer from this one too; answered with `prepared`. What comes at `atMs` (since 1970) or later, where
   * that is still to come, is held as by `hold`: however late that is, it reads what is new.
   */
  | { readonly type: 'prepare'; readonly next: NextState; readonly atMs: number }
  /** Begin no request until told more; answered with `held`. */
  | { readonly type: 'hold'; readonly id: string }
  /** Answer from what was prepared, and begin what was held. */
  | { readonly type: 'go'; readonly id: string }
  /** What was prepared is not turned to. */
  | { readonly type: 'drop'; readonly id: string }
  | { readonly type: 'following'; readonly report: FollowReport }
  | ({ readonly type: 'granted' } & Grant)
  /** Answered with `scraped`. */
  | { readonly type: 'scrape'; readonly id: number }
  /** Answered with `drained` once the last request is answered, or so much time is over. */
  | { readonly type: 'drain'; readonly drainMs: number };

export type FromFront =
  /** All is loaded. */
  | { readonly type: 'hello' }
  | { readonly type: 'listening'; readonly address: string }
  | { readonly type: 'unusable'; readonly why: string }
  /** @param why it cannot */
  | { readonly type: 'prepared'; readonly id: string; readonly why?: string | undefined }
  | { readonly type: 'held'; readonly id: string }
  /** So many requests of this client wait for a token each. */
  | { readonly type: 'lease'; readonly key: string; readonly want: number }
  /** Tokens that were not used. */
  | { readonly type: 'returned'; readonly tokens: readonly (readonly [key: string, count: number])[] }
  | { readonly type: 'charge'; readonly client: string; readonly engineMs: number }
  | { readonly type: 'scraped'; readonly id: number; readonly families: readonly Family[] }
  | { readonly type: 'drained' };

export function stateOf({ ref, serving }: ServedSnapshot): ServedState {
  return { ref, serving: { ...serving, versions: [...serving.versions], chains: [...serving.chains] } };
}

export function servingOf({ serving }: ServedState): Serving {
  return { ...serving, versions: new Map(serving.versions), chains: new Set(serving.chains) };
}

export function nextOf(before: ServedSnapshot, { ref, serving }: ServedSnapshot): NextState {
  const { versions, chains, ...same } = serving;
  const old = before.serving.versions;
  const changed: (readonly [string, string | null])[] = [];
  for (const [table, version] of versions) if (old.get(table) !== version) changed.push([table, version]);
  for (const table of old.keys()) if (!versions.has(table)) changed.push([table, null]);
  return { ref, after: before.ref.id, serving: { ...same, chains: [...chains] }, versions: changed };
}

/** @throws Error where it comes after another one than is served */
export function servingAfter(before: Serving, { after, serving, versions: changed }: NextState): Serving {
  if (before.snapshotId !== after) throw new Error(`${after} is not served, but ${before.snapshotId}`);
  const versions = new Map(before.versions);
  for (const [table, version] of changed) {
    if (version === null) versions.delete(table);
    else versions.set(table, version);
  }
  return { ...serving, versions, chains: new Set(serving.chains) };
}
