// Whether the distributed engine refuses to let the gateway write: tried before it is asked anything else. The gateway
// sends it nothing but reads of its own making; its rules of access are the lock that holds if that were wrong.
import { randomBytes } from 'node:crypto';
import type { RemoteRelation } from '../dialect/remote.ts';
import { identifier } from '../dialect/value.ts';
import { runStatement, type TrinoAddress, TrinoError } from '../trino/client.ts';

/** Its error where a write was let through. */
export class NotReadOnly extends Error {}

export interface Proof {
  /**
   * Of each schema once; and again, now and then, where a write was let through.
   * @throws NotReadOnly, TrinoUnavailable, TrinoError
   */
  holds(relations: readonly RemoteRelation[]): Promise<void>;
}

/** Rules may be mended while the gateway runs. */
const AGAIN_MS = 10_000;
/** As Trino says that it will not, or cannot. */
const REFUSED: ReadonlySet<string> = new Set(['PERMISSION_DENIED', 'NOT_SUPPORTED']);
const WAIT_MS = 60_000;
const MAX_PROVEN = 1_000;

export function createProof(to: TrinoAddress, say: (text: string) => void): Proof {
  const proven = new Set<string>();
  let refused: { readonly error: NotReadOnly; readonly at: number } | undefined;
  let running: Promise<void> | undefined;

  const prove = async (relations: readonly RemoteRelation[]): Promise<void> => {
    for (const { catalog, schema } of relations) {
      const place = `${identifier(catalog)}.${identifier(schema)}`;
      if (proven.has(place)) continue;
      const name = identifier(`tablegate_proof_${randomBytes(6).toString('hex')}`);
      const writes = [
        {
          make: `CREATE SCHEMA ${identifier(catalog)}.${name}`,
          undo: `DROP SCHEMA ${identifier(catalog)}.${name}`,
        },
        { make: `CREATE TABLE ${place}.${name} (a BIGINT)`, undo: `DROP TABLE ${place}.${name}` },
      ];
      for (const { make, undo } of writes) {
        if (await isRefused(to, make)) continue;
        await isRefused(to, undo);
        const error = new NotReadOnly(
          `self-test: Trino let user ${to.user} write (${make}): give it rules of access that let this user read alone, such as deploy/trino/rules.json; until then no statement is sent there`,
        );
        say(error.message);
        refused = { error, at: performance.now() };
        throw error;
      }
      // Each snapshot has a schema of its own in the lake.
      if (proven.size >= MAX_PROVEN) proven.clear();
      proven.add(place);
      refused = undefined;
    }
  };

  return {
    async holds(relations) {
      if (refused !== undefined && performance.now() - refused.at < AGAIN_MS) throw refused.error;
      while (running !== undefined) await running.catch(() => {});
      running = prove(relations);
      try {
        await running;
      } finally {
        running = undefined;
      }
    },
  };
}

/** @throws TrinoUnavailable, TrinoError where it says neither yes nor no */
async function isRefused(to: TrinoAddress, sql: string): Promise<boolean> {
  try {
    for await (const _ of runStatement(to, sql, { signal: AbortSignal.timeout(WAIT_MS) }));
    return false;
  } catch (error) {
    if (error instanceof TrinoError && REFUSED.has(error.errorName)) return true;
    throw error;
  }
}
