// The real client, npm @tableland/sdk, pointed at the gateway and at the reference over the same database: it
// must read the same from both.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { type Reference, referenceBinary, startReference } from '../support/reference.ts';
import { type Database, sdkAt, type Validator } from '../support/sdk.ts';

const CHAIN = 31337;
const T = `tokens_${CHAIN}_1`;
const HASH = `0x${'ab'.repeat(32)}`;
const FAILED = `0x${'cd'.repeat(32)}`;
const SEED = `
  create table ${T} (id integer primary key, name text not null unique default 'x', level int check (level > 0), picture blob, unique(name, level), check (id < 1000)) strict;
  insert into ${T} values (1, 'ada', 3, x'00ff'), (2, 'bob', 1, null), (3, '{"nick":"cy"}', 9007199254740991, null), (4, 'it''s "é" 💩 <&>', null, x'');
  create table empty_${CHAIN}_2 (a integer, b text) strict;
  insert into registry(id, structure, controller, prefix, created_at, chain_id) values
    (1, 's', '0xC', 'tokens', 1700000000, ${CHAIN}), (2, 's', '0xC', 'empty', 1700000001, ${CHAIN});
  insert into system_txn_receipts(chain_id, block_number, index_in_block, txn_hash, error, table_id, error_event_idx, table_ids) values
    (${CHAIN}, 10, 0, '${HASH}', null, 1, null, '1,2'), (${CHAIN}, 11, 0, '${FAILED}', 'boom', null, 2, null);
  insert into system_txn_processor values (${CHAIN}, 99);
`;

interface Context {
  reference: Reference;
  gateway: TestGateway;
  data: string;
}
const test = suite<Context>('routes/sdk');

test.before(async (context) => {
  context.reference = await startReference({
    externalUriPrefix: 'https://tables.example',
    seed: (database) => database.exec(SEED),
  });
  context.data = mkdtempSync(join(tmpdir(), 'tablegate-sdk-'));
  runImport(context.reference.databasePath, context.data);
  context.gateway = await startTestGateway({
    data: context.data,
    // The reference that has no renderers is the one started above.
    args: [
      ...['--external-uri-prefix', 'https://tables.example'],
      ...['--animation-renderer-uri', 'none', '--metadata-renderer-uri', 'none'],
    ],
  });
});
test.after(async ({ gateway, reference, data }) => {
  await gateway?.stop();
  await reference?.stop();
  if (data !== undefined) rmSync(data, { recursive: true, force: true });
});

/** What a call gives or how it fails, so that failures are compared too. */
async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    const { status } = error as { status?: number };
    return { failed: status ?? (error as Error).name };
  }
}

type Read = (validator: Validator, database: Database) => Promise<unknown>;

const READS: Readonly<Record<string, Read>> = {
  health: (validator) => validator.health(),
  'getTableById with constraints': (validator) => validator.getTableById({ chainId: CHAIN, tableId: '1' }),
  'getTableById of an empty table': (validator) => validator.getTableById({ chainId: CHAIN, tableId: '2' }),
  'getTableById of no table': (validator) => validator.getTableById({ chainId: CHAIN, tableId: '9' }),
  'getTableById of no chain': (validator) => validator.getTableById({ chainId: 5, tableId: '1' }),
  'getTableById of no number': (validator) => validator.getTableById({ chainId: CHAIN, tableId: 'x' }),
  'queryByStatement without a format': (validator) =>
    validator.queryByStatement({ statement: `select * from ${T}` }),
  'queryByStatement as objects': (validator) =>
    validator.queryByStatement({ statement: `select * from ${T}`, format: 'objects' }),
  'queryByStatement as table': (validator) =>
    validator.queryByStatement({ statement: `select * from ${T}`, format: 'table' }),
  'queryByStatement with extract': (validator) =>
    validator.queryByStatement({
      statement: `select name from ${T} order by id`,
      format: 'objects',
      extract: true,
    }),
  'queryByStatement with unwrap of one row': (validator) =>
    validator.queryByStatement({
      statement: `select * from ${T} where id = 1`,
      format: 'objects',
      unwrap: true,
    }),
  'queryByStatement with extract and unwrap': (validator) =>
    validator.queryByStatement({
      statement: `select json_object('name', name, 'level', level) from ${T} where id = 1`,
      format: 'objects',
      extract: true,
      unwrap: true,
    }),
  // The SDK takes their type for JSON and fails to parse them, at the reference too.
  'queryByStatement with unwrap of several rows': (validator) =>
    validator.queryByStatement({ statement: `select id from ${T}`, format: 'objects', unwrap: true }),
  'queryByStatement of no row': (validator) =>
    validator.queryByStatement({ statement: `select * from empty_${CHAIN}_2`, format: 'table' }),
  'queryByStatement of a broken statement': (validator) =>
    validator.queryByStatement({ statement: 'select from' }),
  'queryByStatement of an unknown table': (validator) =>
    validator.queryByStatement({ statement: `select * from nothing_${CHAIN}_9` }),
  receiptByTransactionHash: (validator) =>
    validator.receiptByTransactionHash({ chainId: CHAIN, transactionHash: HASH }),
  'receiptByTransactionHash of a failure': (validator) =>
    validator.receiptByTransactionHash({ chainId: CHAIN, transactionHash: FAILED }),
  'receiptByTransactionHash of nothing': (validator) =>
    validator.receiptByTransactionHash({ chainId: CHAIN, transactionHash: `0x${'0'.repeat(64)}` }),
  pollForReceiptByTransactionHash: (validator) =>
    validator.pollForReceiptByTransactionHash({ chainId: CHAIN, transactionHash: HASH }),
  'select .all()': async (_, database) =>
    (await database.prepare(`select * from ${T} order by id desc`).all()).results,
  'select .first()': (_, database) => database.prepare(`select * from ${T} order by id`).first(),
  'select .first() of a column': (_, database) =>
    database.prepare(`select * from ${T} order by id`).first('name'),
  'select .first() of no row': (_, database) => database.prepare(`select * from empty_${CHAIN}_2`).first(),
  'select .raw()': (_, database) => database.prepare(`select id, name from ${T} order by id`).raw(),
  'bound numbers and texts': async (_, database) =>
    (await database.prepare(`select * from ${T} where id = ? or name = ?`).bind(1, 'bob').all()).results,
  'bound texts with quotes': async (_, database) =>
    (await database.prepare(`select id from ${T} where name = ?`).bind('it\'s "é" 💩 <&>').all()).results,
  'bound names': async (_, database) =>
    (await database.prepare(`select id from ${T} where id = @id`).bind({ id: 2 }).all()).results,
  'a broken select': (_, database) => database.prepare(`select x from ${T}`).all(),
};

for (const [name, read] of Object.entries(READS))
  test(`the SDK reads the same: ${name}`, async ({ gateway, reference }) => {
    const at = (baseUrl: string): Promise<unknown> =>
      outcome(() => {
        const { validator, database } = sdkAt(baseUrl);
        return read(validator, database);
      });
    assert.equal(await at(gateway.url), await at(reference.url));
  });

test("the SDK reads the version, whose values are this build's", async ({ gateway, reference }) => {
  const ours = await sdkAt(gateway.url).validator.version();
  const theirs = await sdkAt(reference.url).validator.version();
  assert.equal(Object.keys(ours), Object.keys(theirs));
});

test('no row to unwrap is a 404 that the SDK understands; the reference says JSON and sends none', async ({
  gateway,
}) => {
  const read = outcome(() =>
    sdkAt(gateway.url).validator.queryByStatement({
      statement: `select * from ${T} where id = 99`,
      format: 'objects',
      unwrap: true,
    }),
  );
  assert.equal(await read, { failed: 404 });
});

if (referenceBinary() === undefined) {
  process.stdout.write('SKIPPED: no reference for this machine\n');
  if (process.env['CI'] !== undefined) throw new Error('the reference must not be missing under CI');
}
test.run();
