// Before a gateway serves its first snapshot, a few scans of it on their whole way through the lanes: see
// statement/rehearsal.ts. Only where there are large tables: elsewhere the scan lane waits for its first statement.
import type { Lanes } from '../lane/lanes.ts';
import { COLUMNS } from '../snapshot/layout.ts';
import type { Manifest } from '../snapshot/manifest.ts';
import { type RehearsedTable, rehearsal } from '../statement/rehearsal.ts';
import type { Reply, StatementJob, TableRecord } from '../wire/protocol.ts';

/** Of a table: more take their time, and make no more ready than fewer do. */
const MOST_ROWS = 20_000_000;
/** Of a job that nobody asked for. */
const LIMITS = { deadlineMs: 1_000, maxRows: 20_000, maxBytes: 4 * 1024 * 1024 };
const OBJECTS = { format: 'objects', extract: false, unwrap: false } as const;

/**
 * @param times how many lanes there are that look at a statement first
 * @returns when all is done; whether it failed makes no difference
 */
export async function rehearse(
  lanes: Pick<Lanes, 'run'>,
  { files, rows, remote = {} }: Manifest,
  times: number,
): Promise<void> {
  if (files[COLUMNS] === undefined) return;
  const [largest] = Object.entries(rows)
    .filter(([name, count]) => count <= MOST_ROWS && remote[name] === undefined)
    .sort(([, one], [, other]) => other - one);
  const table = largest && (await readTable(lanes, largest[0]));
  if (table === undefined) return;
  for (const { shape, literals, runs } of rehearsal(table)) {
    const kind = runs ? 'query' : 'explain';
    const job: StatementJob = { kind, shape, literals, output: OBJECTS, limits: LIMITS };
    await Promise.all(Array.from({ length: times }, async () => readAll(await lanes.run(job))));
  }
}

async function readAll(reply: Reply): Promise<void> {
  if (!reply.ok || reply.rest === undefined) return;
  try {
    for await (const _ of reply.rest);
  } catch {
    // It was cut off: by a lane that ended, or by its time.
  }
}

/** Undefined where it is none of a chain. */
async function readTable({ run }: Pick<Lanes, 'run'>, name: string): Promise<RehearsedTable | undefined> {
  const [, chainId, tableId] = /_(\d{1,15})_(\d{1,15})$/.exec(name) ?? [];
  if (chainId === undefined || tableId === undefined) return undefined;
  const reply = await run({ kind: 'table', chainId: Number(chainId), tableId });
  const record = reply.ok ? (JSON.parse(Buffer.from(reply.body).toString()) as TableRecord | null) : null;
  const [first] = record?.columns ?? [];
  if (record === null || first === undefined) return undefined;
  const of = (kind: RegExp): string => (record.columns.find(({ type }) => kind.test(type)) ?? first).name;
  return { name, text: of(/text/), number: of(/int|real/) };
}
