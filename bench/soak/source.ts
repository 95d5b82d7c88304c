// A validator's database that keeps changing: a counter, written the way a validator writes (one transaction
// with block number and receipt, in WAL mode). Knows nothing of the gateway that follows it.
import { copyFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { CHAIN_ID } from '../data.ts';
import { createTable } from '../validator-database.ts';

const COUNTER_ID = 9;
export const COUNTER = `counter_${CHAIN_ID}_${COUNTER_ID}`;
/** All rows hold one value at any moment: two values in one answer are two states mixed. */
export const COUNTER_ROWS = 50;

export interface Source {
  readonly path: string;
  /** Value that was last committed. */
  readonly value: number;
  /** Writes nothing until resume(). */
  pause(): void;
  resume(): void;
  stop(): void;
}

/** @param from the bench's database; it is copied to `path` */
export function startSource(from: string, path: string, everyMs: number): Source {
  copyFileSync(from, path);
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode=wal; pragma synchronous=off; begin');
  createTable(database, {
    name: COUNTER,
    columns: 'id integer primary key, value integer not null',
    createdAt: 1_667_000_180,
  });
  const row = database.prepare(`insert into ${COUNTER} values (?, 0)`);
  for (let id = 1; id <= COUNTER_ROWS; id++) row.run(id);
  database.exec(`insert into system_txn_processor values (${CHAIN_ID}, 0); commit`);
  const set = database.prepare(`update ${COUNTER} set value = ?`);
  const block = database.prepare('update system_txn_processor set block_number = ? where chain_id = ?');
  const receipt = database.prepare(
    'insert into system_txn_receipts (chain_id, block_number, index_in_block, txn_hash, table_ids) values (?, ?, 0, ?, ?)',
  );
  let value = 0;
  let paused = false;
  const timer = setInterval(() => {
    if (paused) return;
    value += 1;
    database.exec('begin immediate');
    set.run(value);
    block.run(value, CHAIN_ID);
    receipt.run(CHAIN_ID, value, `0x${value.toString(16).padStart(64, '0')}`, String(COUNTER_ID));
    database.exec('commit');
  }, everyMs);
  return {
    path,
    get value() {
      return value;
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
    },
    stop() {
      clearInterval(timer);
      database.close();
      for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
    },
  };
}
