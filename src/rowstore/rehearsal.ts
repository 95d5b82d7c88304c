// Before the first snapshot of a process is served, a few statements on it: see statement/rehearsal.ts.
import { asciiLower } from '../base/ascii-lower.ts';
import { rehearsal } from '../statement/rehearsal.ts';
import type { QueryJob } from '../wire/protocol.ts';
import type { RowStore } from './store.ts';

/** @param run as statements of clients are run: those that visit many rows are left to others */
export function rehearse({ catalogue }: RowStore, run: (job: QueryJob) => unknown): void {
  const tables = [...catalogue.tables.values()].filter(({ isRemote }) => !isRemote);
  // That a scan is another lane's is found out in another way than how to look up a row.
  for (const table of [tables.find(({ columnar }) => columnar), tables.find(({ columnar }) => !columnar)]) {
    if (table === undefined) continue;
    try {
      const [text = '', number = text] = catalogue.describe(asciiLower(table.name)).columns;
      for (const job of rehearsal({ ...table, text, number })) run({ ...job, kind: 'query' });
    } catch {
      // What is wrong is said of the statements that come.
    }
  }
}
