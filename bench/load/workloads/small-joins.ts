// Joins of a few small tables without keys, each of a shape of its own: what explorers and test suites of SQL ask.
import { createRandom, wholeBetween } from '../../random.ts';
import { SMALL_COLUMNS, SMALL_ROWS, SMALL_TABLES, smallRow, smallValue } from '../../small-tables.ts';
import { rateAtLeast } from '../goals.ts';
import { ask, firstBound, type Workload } from '../workload.ts';

export const smallJoins: Workload = {
  name: 'small-joins',
  title: 'joins of small tables, every one of a shape never seen',
  about: `Three to ${SMALL_TABLES.length} tables of ${SMALL_ROWS} rows without keys, joined by equalities.`,
  targets: ['tablegate', 'reference'],
  variants: () => [{ name: 'closed 8', load: { mode: 'closed', connections: 8 } }],
  goals: [rateAtLeast(1, 'reference', 'closed 8')],
  checks: 20,
  asks: (_, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    const column = (): number => wholeBetween(random, 0, SMALL_COLUMNS.length - 1);
    return () => {
      const tables = SMALL_TABLES.map((_, table) => table)
        .map((table) => ({ table, key: random() }))
        .sort((a, b) => a.key - b.key)
        .slice(0, wholeBetween(random, 3, SMALL_TABLES.length))
        .map(({ table }) => table);
      const name = (bound++).toString(36);
      const conditions: string[] = [];
      let id = 0;
      for (const [at, table] of tables.entries()) {
        const [own, other] = [column(), column()];
        if (at === 0) {
          id = wholeBetween(random, 0, SMALL_ROWS - 1);
          conditions.push(`t0.${SMALL_COLUMNS[own]} = ${smallValue(table, own, id)}`);
          continue;
        }
        const value = smallValue(tables[at - 1] as number, other, id);
        id = smallRow(table, own, value);
        conditions.push(`t${at}.${SMALL_COLUMNS[own]} = t${at - 1}.${SMALL_COLUMNS[other]}`);
      }
      const from = tables.map((table, at) => `${SMALL_TABLES[table]} t${at}`).join(', ');
      const columns = tables.map((_, at) => `t${at}.id as id${at}_${name}`).join(', ');
      return ask(
        `select ${columns} from ${from} where ${conditions.join(' and ')}`,
        `"id${tables.length - 1}_${name}":${id}`,
      );
    };
  },
};
