// SQLite by itself in a process of its own: runs statements one after the other and tells how long each took.
//   node --import tsx bench/peers/sqlite.ts DATABASE
import { DatabaseSync } from '@photostructure/sqlite';

const database = new DatabaseSync(process.argv[2] ?? '', { readOnly: true });

process.on('message', (statement: string) => {
  const started = performance.now();
  const rows = database.prepare(statement).all();
  const ms = performance.now() - started;
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
  process.send?.({ ms, body: JSON.stringify(rows, plain) });
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
