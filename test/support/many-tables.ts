// A validator's database with as many small tables as are asked for: what the network really has.
import { rmSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';

export interface ManyTables {
  readonly tables: number;
  /** Of each. */
  readonly rows?: number;
}

/** Makes it anew, in WAL mode as a validator keeps it. `t_31337_1` to `t_31337_N`, each with rows 1 to `rows`. */
export function makeManyTables(path: string, { tables, rows = 3 }: ManyTables): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    database.exec(`pragma journal_mode=off; pragma synchronous=off;
      create table registry (id INTEGER NOT NULL, structure TEXT NOT NULL, controller TEXT NOT NULL, prefix TEXT NOT NULL,
        created_at INTEGER NOT NULL DEFAULT (strftime('%s', 'now')), chain_id INTEGER, PRIMARY KEY(chain_id, id), CHECK(id >= 0));
      create table system_txn_processor (chain_id INTEGER PRIMARY KEY NOT NULL, block_number INTEGER NOT NULL);
      insert into system_txn_processor values (31337, 1);
      begin`);
    const register = database.prepare(
      `insert into registry (id, structure, controller, prefix, created_at, chain_id)
       values (?, 'structure hash', '0xcontroller', 't', 1700000000, 31337)`,
    );
    for (let id = 1; id <= tables; id++) {
      const values = Array.from({ length: rows }, (_, i) => `(${i + 1}, 'name ${id}-${i}', ${id + i})`);
      database.exec(`create table t_31337_${id} (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INT) strict;
        insert into t_31337_${id} values ${values.join(', ')}`);
      register.run(id);
    }
    database.exec('commit; pragma journal_mode=wal');
  } finally {
    database.close();
  }
}
