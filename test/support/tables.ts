// Tables that tests of the whole gateway share: what a collection of tokens looks like, and an empty one.
import type { TestTable } from './snapshot.ts';

export const CHAIN = 31337;

export const TOKENS: TestTable = {
  name: `tokens_${CHAIN}_1`,
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text', notNull: true, constraints: ['not null', 'unique'] },
    { name: 'level', type: 'int', constraints: ['check(level>0)'] },
    { name: 'picture', type: 'blob' },
  ],
  unique: [['name']],
  tableConstraints: ['check(id<1000)'],
  rows: [
    [1, 'ada', 3, new Uint8Array([0, 255])],
    [2, 'bob', 1, null],
    [3, '{"nick": "cy"}', 9_007_199_254_740_993n, null],
  ],
};

export const EMPTY: TestTable = {
  name: `empty_${CHAIN}_2`,
  columns: [
    { name: 'a', type: 'integer' },
    { name: 'b', type: 'text' },
  ],
};

export const HASHES = {
  done: `0x${'ab'.repeat(32)}`,
  failed: `0x${'cd'.repeat(32)}`,
  unknown: `0x${'ef'.repeat(32)}`,
};

export const RECEIPTS: TestTable = {
  name: 'system_txn_receipts',
  columns: [
    { name: 'chain_id', type: 'integer' },
    { name: 'block_number', type: 'integer' },
    { name: 'index_in_block', type: 'integer' },
    { name: 'txn_hash', type: 'text' },
    { name: 'error', type: 'text' },
    { name: 'table_id', type: 'integer' },
    { name: 'error_event_idx', type: 'integer' },
    { name: 'table_ids', type: 'text' },
  ],
  rows: [
    [CHAIN, 10, 0, HASHES.done, null, 1, null, '1,2'],
    [CHAIN, 11, 0, HASHES.failed, 'boom', null, 2, null],
  ],
};

export const TABLES: readonly TestTable[] = [TOKENS, EMPTY, RECEIPTS];
