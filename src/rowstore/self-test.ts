// The sandbox tries itself before a row store is used: ways out that must fail. What works stops the process, and with
// it the lane: better no answer than an open door.
import type { Database } from './database.ts';

/** Each must fail: those that only read come first. */
const ESCAPES: readonly string[] = [
  'select * from sqlite_schema',
  'select * from sqlite_master',
  'select * from tablegate_tables',
  'select * from pragma_database_list',
  'select * from dbstat',
  "select load_extension('x')",
  "select fts3_tokenizer('x')",
  'pragma query_only=off',
  'pragma hard_heap_limit=0',
  'pragma writable_schema=on',
  'pragma trusted_schema=on',
  "attach ':memory:' as other",
  'create temp table tablegate_proof (a)',
  'create virtual table temp.tablegate_proof using fts5(a)',
  'begin exclusive',
  'analyze',
  'reindex',
  "vacuum into '/nonexistent/tablegate.db'",
];

/** @throws Error that names the escape that worked, or the read that should have and did not */
export function proveDatabase(database: Database): void {
  for (const sql of ESCAPES)
    if (works(database, sql))
      throw new Error(`self-test: the row store is not locked: a statement could ${sql}`);
  if (!works(database, 'select 1')) throw new Error('self-test: the row store answers nothing');
}

function works(database: Database, sql: string): boolean {
  try {
    database.prepare(sql).all();
    return true;
  } catch {
    return false;
  }
}
