// Before the first snapshot of a process is served, a few statements on it: see statement/rehearsal.ts.
import { asciiLower } from '../base/ascii-lower.ts';
import { rehearsal } from '../statement/rehearsal.ts';
import type { QueryJob } from '../wire/protocol.ts';
import type { RowStore } from './store.ts';

/** Of a job that nobody asked for. */
const LIMITS = { deadlineMs: 1_000, maxRows: 20_000, maxBytes: 4 * 1024 * 1024 };
const OBJECTS = { format: 'objects', extract: false, unwrap: false } as const;

/** @param run as statements of clients are run; whether it fails makes no difference */
export function rehearse({ catalogue }: RowStore, run: (job: QueryJob) => unknown): void {
  const tables = [...catalogue.tables.values()].filter(({ isRemote }) => !isRemote);
  // That a scan is another lane's is found out in another way than how to look up a row.
  for (const table of [tables.find(({ columnar }) => columnar), tables.find(({ columnar }) => !columnar)]) {
    if (table === undefined) continue;
    const [text = '', number = text] = catalogue.describe(asciiLower(table.name)).columns;
    // What is run here visits few rows, whatever it is.
    for (const { shape, literals } of rehearsal({ name: table.name, text, number }))
      run({ kind: 'query', shape, literals, output: OBJECTS, limits: LIMITS });
  }
}
