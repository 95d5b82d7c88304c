// Publishes snapshots to a store: first the parts of one, which never change, then by condition the pointer that names
// it. Whoever dies in between has published nothing, and the next run sends only what is missing.
import { createHash, type KeyObject } from 'node:crypto';
import type { Lake } from '../lake/lake.ts';
import { PART_BYTES } from '../snapshot/file-parts.ts';
import { checkSnapshot } from '../snapshot/folder.ts';
import { type LakeTables, writeLake } from '../snapshot/lake.ts';
import { leaseSnapshot } from '../snapshot/lease.ts';
import {
  POINTER_FORMAT,
  type Pointer,
  type PublishedBefore,
  parsePointer,
  pointerText,
} from '../store/pointer.ts';
import { signText, unsignedText } from '../store/signature.ts';
import { type Store, type StoredPointer, StoreError } from '../store/store.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { createCleaner } from './clean.ts';
import { type KnownParts, knownParts, uploadSnapshot } from './upload.ts';

export interface PublisherOptions {
  readonly store: Store;
  /** The data folder. */
  readonly data: string;
  /** Snapshots that stay in the store, the current one included. */
  readonly keep: number;
  /** From its publishing to the moment at which replicas turn to it; 0: each when it has it. */
  readonly activeInMs: number;
  readonly key: KeyObject | undefined;
  /** Of the pointers that this publisher writes. */
  readonly publisher: string;
  /** Where the large tables go for the distributed engine, too. */
  readonly lake?: Lake | undefined;
  readonly signal: AbortSignal;
}

export interface Published {
  /** `current`: it was the current one there already; `taken`: somebody else published meanwhile, and nothing changed. */
  readonly outcome: 'published' | 'current' | 'taken';
  readonly id: string;
  readonly bytes: number;
  readonly sentBytes: number;
  readonly sentParts: number;
  /** Tables of it that are in the lake; undefined: it could not be asked, and is to be asked again. */
  readonly lakeTables: number | undefined;
  /** What went wrong and kept nobody from publishing: the lake, or parts that nobody needs are there still. */
  readonly warning: string | undefined;
}

export interface Publisher {
  /**
   * @param lakeLater it is published without the lake, as if that were gone, and to be put there by another call
   * @throws StoreError, OperatorError (the snapshot), Error, all in one line
   */
  publish(snapshot: SnapshotRef, lakeLater?: boolean): Promise<Published>;
  /** @returns the current pointer there, and whether this publisher wrote it @throws as publish() */
  look(): Promise<{ readonly text: string; readonly id: string; readonly own: boolean } | undefined>;
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { store, data, keep, publisher, lake, signal } = options;
  const cleaner = createCleaner(store, signal);
  let known: KnownParts | undefined;
  /** The pointer that this process wrote last. */
  let own: string | undefined;

  /** Asks for all once; from then on what was sent and removed is known. */
  const partsThere = async (): Promise<KnownParts> => {
    if (known === undefined) {
      const listed = await store.listParts?.(signal);
      known = knownParts(store, listed?.map(({ name }) => name) ?? [], listed !== undefined);
    }
    return known;
  };

  const publish = async (snapshot: SnapshotRef, lakeLater: boolean): Promise<Published> => {
    const manifest = await checkSnapshot(snapshot);
    const before = await readPointer(store, signal);
    const isThere = before?.pointer.id === snapshot.id;
    const lakeOwner = before?.pointer.lakeOwner ?? (lake && ownerOf(publisher, store));
    const stays = isThere && (await isInLake(before.pointer));
    const inLake = stays
      ? toldOf(before.pointer.lake)
      : lakeLater
        ? NOT_ASKED
        : await putIntoLake(snapshot, lakeOwner);
    const { lakeTables } = inLake;
    const nothing = {
      id: snapshot.id,
      bytes: 0,
      sentBytes: 0,
      sentParts: 0,
      lakeTables,
      warning: inLake.warning,
    };
    if (isThere && (stays || inLake.lake === undefined || isSame(inLake.lake, before.pointer.lake)))
      return { ...nothing, outcome: 'current' };
    // Somebody else wrote there since, and may have removed parts.
    if (before?.stored.text !== own) known = undefined;
    const isFirst = known === undefined;
    const there = await partsThere();
    const sent = await uploadSnapshot(store, there, snapshot.path, manifest, signal);
    const now = Date.now();
    const gone = before === undefined ? [] : [entryOf(before.pointer), ...before.pointer.before];
    const others = gone.filter(
      ({ id }, i) => id !== snapshot.id && gone.findIndex((each) => each.id === id) === i,
    );
    const pointer: Pointer = {
      format: POINTER_FORMAT,
      // By the clock, so that it ascends in a place that was emptied, too.
      sequence: Math.max((before?.pointer.sequence ?? 0) + 1, now),
      id: snapshot.id,
      created: new Date(now).toISOString(),
      // What is there is turned to already.
      activeAt: options.activeInMs === 0 || isThere ? null : new Date(now + options.activeInMs).toISOString(),
      snapshotFormat: manifest.formatVersion,
      engines: manifest.engines,
      files: sent.files,
      partBytes: PART_BYTES,
      parts: sent.parts,
      publisher,
      before: others.slice(0, keep - 1),
      ...(lakeOwner === undefined ? {} : { lakeOwner }),
      ...(inLake.lake === undefined ? {} : { lake: inLake.lake }),
    };
    const text = pointerText(pointer);
    const signed = options.key === undefined ? text : signText(text, options.key);
    const { sentBytes, sentParts, bytes } = sent;
    const told = { ...nothing, bytes, sentBytes: sentBytes + Buffer.byteLength(signed), sentParts };
    if ((await store.writePointer(signed, before?.stored, signal)) === 'taken') {
      // Whoever took it removes parts by its own knowledge.
      known = undefined;
      return { ...told, outcome: 'taken' };
    }
    own = signed;
    const lists = gone.map(({ parts }) => parts);
    const warnings = [
      inLake.warning,
      // For gateways on this data folder.
      await warned(
        lake && writeLake(snapshot.path, inLake.lake),
        `${snapshot.path} cannot say where its lake is`,
      ),
      await warned(
        cleaner.clean(pointer, lists, there, isFirst),
        `${store.name}: what is not needed any more is there still`,
      ),
      // Where it did not answer, it is not waited for again.
      await warned(
        lakeTables === undefined ? undefined : cleanLake(pointer),
        'the lake: what is not needed any more is there still',
      ),
    ].filter((each) => each !== undefined);
    const warning = warnings.length === 0 ? undefined : warnings.join('; ');
    return { ...told, outcome: 'published', warning };
  };

  const warned = async (doing: Promise<void> | undefined, what: string): Promise<string | undefined> => {
    try {
      await doing;
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      return `${what}: ${(error as Error).message}`;
    }
  };

  /** Where that fails, the snapshot is published all the same: nobody waits for the distributed engine. */
  const putIntoLake = async (snapshot: SnapshotRef, owner: string | undefined): Promise<InLake> => {
    if (lake === undefined || owner === undefined) return NOT_IN_LAKE;
    try {
      return toldOf(await lake.put(snapshot, owner));
    } catch (error) {
      signal.throwIfAborted();
      const warning = `the tables of ${snapshot.id} are not in the lake: ${(error as Error).message}`;
      return { lake: undefined, lakeTables: undefined, warning };
    }
  };

  /** Whether nothing is to be put there. */
  const isInLake = async (pointer: Pointer): Promise<boolean> => {
    if (lake === undefined) return true;
    const { id, lakeOwner } = pointer;
    return pointer.lake !== undefined && lakeOwner !== undefined && (await lake.has(id, lakeOwner));
  };

  const cleanLake = async (pointer: Pointer): Promise<void> => {
    if (pointer.lakeOwner !== undefined) await lake?.clean(stayingIds(pointer), pointer.lakeOwner);
  };

  return {
    async publish(snapshot, lakeLater = false) {
      const lease = await leaseSnapshot(data, snapshot.id);
      try {
        return await publish(snapshot, lakeLater);
      } finally {
        await lease.release();
      }
    },
    async look() {
      const found = await readPointer(store, signal);
      if (found === undefined) return undefined;
      return { text: found.stored.text, id: found.pointer.id, own: found.pointer.publisher === publisher };
    },
  };
}

interface InLake extends Pick<Published, 'lakeTables' | 'warning'> {
  readonly lake: LakeTables | undefined;
}

const NOT_IN_LAKE: InLake = { lake: undefined, lakeTables: 0, warning: undefined };
const NOT_ASKED: InLake = { lake: undefined, lakeTables: undefined, warning: undefined };

function toldOf(lake: LakeTables | undefined): InLake {
  const lakeTables = Object.keys(lake?.tables ?? {}).length;
  return { lake, lakeTables, warning: undefined };
}

const isSame = (a: LakeTables, b: LakeTables | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Of a store that has none yet. Who begins anew after a failure has the same; and two stores that have one address, each
 * in a container of its own, do not.
 */
function ownerOf(publisher: string, { name }: Store): string {
  return createHash('sha256')
    .update(JSON.stringify([publisher, name]))
    .digest('hex')
    .slice(0, 16);
}

function stayingIds({ id, before }: Pointer): ReadonlySet<string> {
  return new Set([id, ...before.map((each) => each.id)]);
}

function entryOf({ id, parts }: Pointer): PublishedBefore {
  return { id, parts };
}

async function readPointer(
  store: Store,
  signal: AbortSignal,
): Promise<{ readonly stored: StoredPointer; readonly pointer: Pointer } | undefined> {
  const stored = await store.readPointer(undefined, signal);
  if (stored === 'absent' || stored === 'unchanged') return undefined;
  try {
    return { stored, pointer: parsePointer(unsignedText(stored.text)) };
  } catch (error) {
    throw new StoreError(
      `the pointer in ${store.name} ${(error as Error).message}; nothing is published over it: remove it to begin anew`,
    );
  }
}
