// Publishing with a lake where the cluster is gone, and what a replica learns of tables that are in one. A cluster that is
// there is test/long/remote-lake.test.ts's.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorError } from '../../src/base/errors.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { publishCommand } from '../../src/publish/command.ts';
import { createPuller, type Puller } from '../../src/pull/pull.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { lakeRelation, readLake } from '../../src/snapshot/lake.ts';
import { makeSnapshotsFolder } from '../../src/snapshot/publish.ts';
import { folderStore } from '../../src/store/folder-store.ts';
import type { Pointer } from '../../src/store/pointer.ts';
import { runImport } from '../ingest/support.ts';
import { freePort } from '../support/nginx.ts';
import { makeSource, type Ran, storeIn } from './support.ts';

const test = suite('publish/lake');
const root = mkdtempSync(join(tmpdir(), 'tablegate-publish-lake-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

/** In this process. @throws OperatorError */
async function publish(data: string, store: string, ...options: readonly string[]): Promise<Ran> {
  let [out, err] = ['', ''];
  const code = await publishCommand({
    config: readArguments(['--data', data, '--publish', store, ...options], {}).config,
    watch: false,
    observe: () => {},
    onStandBy: () => {},
    signal: new AbortController().signal,
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

test('without its cluster a publisher publishes all the same, and says what is missing; replicas learn it when it is there', async () => {
  const { data, store } = storeIn(root, 'lake');
  const lake = join(root, 'lake');
  mkdirSync(lake);
  const imported = await runImport(
    makeSource(join(root, 'source.db'), 500),
    '--data',
    data,
    '--columnar-rows',
    '100',
  );
  assert.is(imported.code, 0, imported.err);
  const { id } = await currentSnapshot(data);
  const nowhere = ['--lake', lake, '--trino', `http://127.0.0.1:${await freePort()}`];
  const first = await publish(data, store, ...nowhere);
  assert.is(first.code, 0, first.err);
  assert.match(first.out, new RegExp(`^published ${id} `));
  const warning = new RegExp(`warning: the tables of ${id} are not in the lake: Trino cannot be reached`);
  assert.match(first.err, warning);
  // It is tried again, and what is published is left as it is.
  const again = await publish(data, store, ...nowhere);
  assert.match(again.out, /^unchanged/);
  assert.match(again.err, warning);
  // The file of the one large table was made once.
  assert.is(readdirSync(join(lake, 'files')).length, 1);
  const path = join(store, 'current.json');
  const pointer = JSON.parse(readFileSync(path, 'utf8')) as Pointer;
  assert.equal(readdirSync(join(lake, 'snapshots')), [`${id}.${pointer.lakeOwner}.json`]);
  assert.is(pointer.lake, undefined);
  const put = (lake: unknown, sequence: number): void =>
    writeFileSync(path, JSON.stringify({ ...pointer, lake, sequence: pointer.sequence + sequence }));
  const replica = join(root, 'replica');
  await makeSnapshotsFolder(replica);
  const puller: Puller = createPuller({
    ...{ store: folderStore(store), data: replica, keep: 3, key: undefined },
    signal: new AbortController().signal,
    onNew: () => {},
  });
  const known = async () => readLake((await currentSnapshot(replica)).path);
  await puller.pull();
  assert.is(await known(), undefined);
  const tables = { catalog: 'lake', schema: 's000001', tables: { t_1_1: 't_1_1' } };
  put(tables, 1);
  await puller.pull();
  assert.equal(await known(), tables);
  assert.equal(lakeRelation(await known(), 't_1_1'), { catalog: 'lake', schema: 's000001', table: 't_1_1' });
  assert.is(lakeRelation(await known(), 'u_1_2'), undefined);
  assert.is(lakeRelation(await known(), 'constructor'), undefined);
  for (const [i, damaged] of [
    'lake',
    { ...tables, catalog: 'la"ke' },
    { ...tables, tables: { t_1_1: 't; drop' } },
    { ...tables, tables: [7] },
  ].entries()) {
    put(damaged, 2 + i);
    const error = await puller.pull().catch((caught: Error) => caught);
    assert.match((error as Error).message, /^the pointer in .* is damaged: lake/);
  }
  put(undefined, 9);
  await puller.pull();
  assert.is(await known(), undefined);
});

test('a lake without the address of a cluster is refused', async () => {
  const { data, store } = storeIn(root, 'none');
  const error = await publish(data, store, '--lake', root).catch((caught: Error) => caught);
  assert.instance(error, OperatorError);
  assert.match((error as Error).message, /--lake needs the address of Trino/);
});

test('tables that go before the statements that read them may end are refused', async () => {
  const { data, store } = storeIn(root, 'short');
  const lake = ['--lake', root, '--trino', 'http://127.0.0.1:1'];
  const why = async (...options: readonly string[]): Promise<string> => {
    const error = await publish(data, store, ...lake, ...options).catch((caught: Error) => caught);
    return error instanceof Error ? error.message : '';
  };
  assert.is(
    await why('--lake-grace', '10m'),
    '--lake-grace is 600 s, and a statement may read the tables of a snapshot for 610 s: --deadline-ms of 10000, and 600 s for its reader; give at least 610s',
  );
  assert.match(await why('--deadline-ms', '10m'), /^--lake-grace is 900 s, and .* give at least 1200s$/);
  // What is long enough comes as far as the data folder, which is not there.
  assert.match(await why('--lake-grace', '610s'), /^there is no data folder/);
  assert.match(await why('--lake-grace', '20m', '--deadline-ms', '10m'), /^there is no data folder/);
});

test.run();
