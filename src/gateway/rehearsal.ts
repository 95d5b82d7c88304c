// Before a gateway serves its first snapshot, a few scans of it on their whole way through the lanes: see
// statement/rehearsal.ts. Only where there are large tables: elsewhere the scan lane waits for its first statement.
import type { Engine } from '../answer/engine.ts';
import { COLUMNS } from '../snapshot/layout.ts';
import { readManifest } from '../snapshot/manifest.ts';
import { FEW_ROWS, type RehearsedTable, rehearsal } from '../statement/rehearsal.ts';
import type { Reply, SnapshotRef, TableRecord } from '../wire/protocol.ts';

/**
 * @param times how many lanes there are that look at a statement first
 * @param hasSecond whether the second process of the scan lane serves: a large list is not to wait for it to be started
 * @returns when all is done, whether it failed or not
 */
export async function rehearse(
  lanes: Pick<Engine, 'run'>,
  { path }: SnapshotRef,
  times: number,
  hasSecond: () => boolean = () => false,
): Promise<void> {
  try {
    const table = await largestTable(lanes, path);
    if (table === undefined) return;
    for (const job of rehearsal(table, hasSecond() ? undefined : FEW_ROWS)) {
      const runs = Array.from({ length: times }, async () => readAll(await lanes.run(job)));
      // A list of long texts is cut at its bound: what comes after it is made ready all the same.
      await Promise.allSettled(runs);
    }
  } catch {
    // What is wrong is said of the statements that come.
  }
}

/** @returns undefined where none is kept as columns */
export async function largestTable(
  lanes: Pick<Engine, 'run'>,
  path: string,
): Promise<RehearsedTable | undefined> {
  const { files, rows, remote = {} } = await readManifest(path);
  if (files[COLUMNS] === undefined) return undefined;
  const [largest] = Object.entries(rows)
    .filter(([name]) => OF_CHAIN.test(name) && remote[name] === undefined)
    .sort(([, one], [, other]) => other - one);
  return largest && readTable(lanes, ...largest);
}

const OF_CHAIN = /_(\d{1,15})_(\d{1,15})$/;

async function readTable(
  { run }: Pick<Engine, 'run'>,
  name: string,
  rows: number,
): Promise<RehearsedTable | undefined> {
  const [, chainId, tableId = ''] = OF_CHAIN.exec(name) ?? [];
  const reply = await run({ kind: 'table', chainId: Number(chainId), tableId });
  const record = reply.ok ? (JSON.parse(Buffer.from(reply.body).toString()) as TableRecord | null) : null;
  const [first] = record?.columns ?? [];
  if (record === null || first === undefined) return undefined;
  const of = (kind: RegExp): string => (record.columns.find(({ type }) => kind.test(type)) ?? first).name;
  return { name, rows, text: of(/text/), number: of(/int|real/) };
}

/** The parts of an answer are made while they are read. */
async function readAll(reply: Reply): Promise<void> {
  if (reply.ok && reply.rest !== undefined) for await (const _ of reply.rest);
}
