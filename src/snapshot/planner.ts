// Asks SQLite for its plan of a statement: a database in memory with the tables of the statement and none of their
// rows, whose plans are those of the full one. Nothing runs in it.
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { IndexColumn, PlanNode, Planner } from '../dialect/planner.ts';

interface Line {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** An instruction of the program that a statement becomes. */
interface Code {
  readonly opcode: string;
  readonly p2: number;
  readonly p4: unknown;
}

/** Above so many tables it begins anew. */
const MOST_TABLES = 2000;
/** Their plan does not depend on what they do. */
const OWN_FUNCTIONS = 'block_num stddev stddev_pop stddev_samp variance var_pop var_samp'.split(' ');

export function createPlanner(): Planner {
  const open = (): DatabaseSyncInstance => {
    const opened = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true });
    for (const name of OWN_FUNCTIONS)
      opened.function(name, { varargs: true, deterministic: true, directOnly: false }, () => null);
    return opened;
  };
  let database = open();
  const made = new Set<string>();
  const indexes = new Map<string, readonly IndexColumn[]>();
  return {
    plan(sql, tables) {
      if (made.size + tables.size > MOST_TABLES) {
        database.close();
        database = open();
        made.clear();
        indexes.clear();
      }
      for (const [name, create] of tables) {
        if (made.has(name)) continue;
        for (const statement of create) database.exec(statement);
        made.add(name);
      }
      const lines = database.prepare(`explain query plan ${sql}`).all() as unknown as readonly Line[];
      const codes = database.prepare(`explain ${sql}`).all() as unknown as readonly Code[];
      return {
        nodes: nodesOf(lines, 0, automaticIndexes(lines, codes)),
        // Of tables or indexes; what is sorted is gone through forwards.
        backwards: codes.some(({ opcode }) => opcode === 'Prev'),
      };
    },
    index(name) {
      let columns = indexes.get(name);
      if (columns === undefined) {
        columns = indexColumns(database, name);
        indexes.set(name, columns);
      }
      return columns;
    },
  };
}

function nodesOf(
  lines: readonly Line[],
  parent: number,
  automatic: ReadonlyMap<number, readonly number[]>,
): readonly PlanNode[] {
  return lines
    .filter((line) => line.parent === parent)
    .map(({ id, detail }) => ({
      detail,
      parts: nodesOf(lines, id, automatic),
      automatic: automatic.get(id),
    }));
}

/** By the line of the plan: the columns that the program reads from the table for the index that it makes. */
function automaticIndexes(
  lines: readonly Line[],
  codes: readonly Code[],
): ReadonlyMap<number, readonly number[]> {
  const searches = lines.filter(({ detail }) => / AUTOMATIC /.test(detail));
  const openings = codes.flatMap(({ opcode }, at) => (opcode === 'OpenAutoindex' ? [at] : []));
  const found = new Map<number, readonly number[]>();
  // The program is written line by line of the plan.
  if (searches.length !== openings.length) return found;
  searches.forEach(({ id }, i) => {
    const columns = columnsRead(codes, openings[i] as number);
    if (columns !== undefined) found.set(id, columns);
  });
  return found;
}

function columnsRead(codes: readonly Code[], opening: number): readonly number[] | undefined {
  const made = codes.findIndex(({ opcode }, at) => at > opening && opcode === 'MakeRecord');
  const size = codes[opening]?.p2 ?? 0;
  // The last one is the rowid.
  const reads = codes.slice(made - size, made);
  const isPlain = reads.every(({ opcode }, i) => opcode === (i < size - 1 ? 'Column' : 'Rowid'));
  // Columns of other collations are named.
  const isBinary = /^k\(\d+(?:,B?)*\)$/.test(String(codes[opening]?.p4));
  return made > 0 && isPlain && isBinary ? reads.slice(0, -1).map(({ p2 }) => p2) : undefined;
}

function indexColumns(database: DatabaseSyncInstance, name: string): readonly IndexColumn[] {
  const rows = database
    .prepare(
      'select name, "desc" as descending, coll from pragma_index_xinfo(?) where key = 1 order by seqno',
    )
    .all(name) as unknown as readonly {
    readonly name: string | null;
    readonly descending: number;
    readonly coll: string;
  }[];
  return rows.map(({ name: column, descending, coll }) => ({
    name: column ?? undefined,
    descending: descending === 1,
    collation: coll,
  }));
}
