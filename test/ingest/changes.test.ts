// What an import does to tables that are served: added, replaced and removed in so many words, and nothing removed that
// nobody asked to be.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { askCatalogue, makeDatabase, type Ran, register, runImport, scratch } from './support.ts';

const test = suite('changes');
const files = scratch();
test.after(() => files.remove());

const served = async (data: string) =>
  (await askCatalogue(data, 'select name, rows from tablegate_tables order by name')).map(
    ([name, rows]) => `${name} ${rows}`,
  );

/** Lines of stdout but for the last, whose counts are checked. */
function said(ran: Ran, counts: string): readonly string[] {
  assert.is(ran.code, 0, ran.err);
  const lines = ran.out.trimEnd().split('\n');
  assert.match(lines.pop() ?? '', new RegExp(`^snapshot \\d{6}-[0-9a-f]{6}: .* seconds; ${counts}$`));
  return lines;
}

async function refused(data: string, why: RegExp, ...args: readonly string[]): Promise<void> {
  const before = await currentSnapshot(data);
  const ran = await runImport(...args, '--data', data);
  assert.is(ran.code, 1, ran.out);
  assert.is(ran.out, '');
  assert.match(ran.err, why);
  assert.equal(await currentSnapshot(data), before);
}

function folder(name: string, contents: Readonly<Record<string, string>>): string {
  const path = files.path(name);
  mkdirSync(path, { recursive: true });
  for (const [file, text] of Object.entries(contents)) writeFileSync(`${path}/${file}`, text);
  return path;
}

test('a folder says what it adds, replaces and removes, and removes only with --replace', async () => {
  const data = files.path('folders');
  const three = folder('three', {
    'a_1_1.csv': 'id,name,price\n1,x,1.5\n2,y,2\n',
    'b_1_2.ndjson': '{"n":1}\n',
    'c_1_3.csv': 'n\n1\n2\n3\n',
  });
  assert.equal(said(await runImport(three, '--data', data), '3 added'), [
    'added a_1_1: 2 rows (id integer, name text, price real)',
    'added b_1_2: 1 row (n integer)',
    'added c_1_3: 3 rows (n integer)',
  ]);
  const other = folder('other', { 'a_1_1.csv': 'id\n1\n', 'd_1_4.csv': 'n\n1\n' });
  const why =
    /2 tables that are served now would be removed: b_1_2 \(1 row\), c_1_3 \(3 rows\); add --replace/;
  await refused(data, why, other);
  assert.equal(await served(data), ['a_1_1 2', 'b_1_2 1', 'c_1_3 3']);
  assert.equal(said(await runImport(other, '--data', data, '--replace'), '1 added, 1 replaced, 2 removed'), [
    'added d_1_4: 1 row (n integer)',
    'replaced a_1_1: 1 row, before 2 (id integer)',
    'removed b_1_2: 1 row',
    'removed c_1_3: 3 rows',
  ]);
  assert.equal(await served(data), ['a_1_1 1', 'd_1_4 1']);
});

test('a database does not take away what came from files; many tables are counted, not listed', async () => {
  const data = files.path('mixed');
  const source = makeDatabase(files.path('mixed.db'), (database) => {
    for (let id = 1; id <= 25; id++) {
      database.exec(`create table t_1_${id} (n int) strict`);
      register(database, `t_1_${id}`);
    }
  });
  const first = said(await runImport(source, '--data', data), '27 added');
  assert.is(first.length, 21);
  assert.is(first.at(-1), 'added 7 more');
  const file = files.path('f.csv');
  writeFileSync(file, 'n\n1\n');
  const one = await runImport(file, '--table', 'f_5_1', '--data', data);
  assert.equal(said(one, '1 added'), ['added f_5_1: 1 row (n integer)']);
  await refused(data, /1 table that is served now would be removed: f_5_1 \(1 row\); add --replace/, source);
  // An update follows its source: what the source lost goes, what came from elsewhere stays.
  const writer = new DatabaseSync(source);
  writer.exec('drop table t_1_7; delete from registry where id = 7; insert into t_1_8 values (1), (2)');
  writer.close();
  const updated = said(await runImport(source, '--data', data, '--update'), '2 changed, 1 removed');
  assert.equal(
    updated.map((line) => line.replace(/ \(.*/, '')),
    ['changed registry: 24 rows, before 25', 'changed t_1_8: 2 rows, before 0', 'removed t_1_7: 0 rows'],
  );
  assert.ok((await served(data)).includes('f_5_1 1'));
  assert.ok(!(await served(data)).some((line) => line.startsWith('t_1_7')));
});

test('a name in another case is the same table, and said to be', async () => {
  const data = files.path('case');
  const file = files.path('c.csv');
  writeFileSync(file, 'n\n1\n2\n');
  said(await runImport(file, '--table', 'flights_1_4', '--data', data), '1 added');
  writeFileSync(file, 'n\n1\n');
  assert.equal(said(await runImport(file, '--table', 'Flights_1_4', '--data', data), '1 replaced'), [
    'replaced flights_1_4, which is Flights_1_4 now: 1 row, before 2 (n integer)',
  ]);
  assert.equal(await served(data), ['Flights_1_4 1']);

  const source = folder('case-source', { 'rigs_1_1.csv': 'n\n1\n', 'other_1_2.csv': 'n\n1\n' });
  const own = files.path('case-folder');
  said(await runImport(source, '--data', own), '2 added');
  renameSync(`${source}/rigs_1_1.csv`, `${source}/Rigs_1_1.csv`);
  // The renamed file may count as fresh: until it does not, its table stays.
  let ran = await runImport(source, '--data', own, '--update');
  for (let i = 0; i < 100 && ran.out.startsWith('unchanged'); i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    ran = await runImport(source, '--data', own, '--update');
  }
  assert.equal(said(ran, '1 changed'), [
    'changed rigs_1_1, which is Rigs_1_1 now: 1 row, before 1 (n integer)',
  ]);
  assert.equal(await served(own), ['other_1_2 1', 'Rigs_1_1 1']);

  const database = makeDatabase(files.path('case.db'), (made) => {
    made.exec('create table t_1_1 (n int) strict; insert into t_1_1 values (1)');
    register(made, 't_1_1');
  });
  const third = files.path('case-database');
  said(await runImport(database, '--data', third), '3 added');
  const writer = new DatabaseSync(database);
  writer.exec('alter table t_1_1 rename to x; alter table x rename to T_1_1');
  writer.close();
  assert.equal(said(await runImport(database, '--data', third, '--update'), '1 changed'), [
    'changed t_1_1, which is T_1_1 now: 1 row, before 1 (n int)',
  ]);
});

test('an id is one table: a file under another name does not get it without --replace', async () => {
  const data = files.path('ids');
  const file = files.path('i.csv');
  writeFileSync(file, 'n\n1\n');
  said(await runImport(file, '--table', 'flights_1_4', '--data', data), '1 added');
  const why =
    /table 4 of chain 1 is served as flights_1_4 \(1 row\): import it by this name, or add --replace/;
  await refused(data, why, file, '--table', 'rigs_1_4');
  said(await runImport(file, '--table', 'rigs_2_4', '--data', data), '1 added');
  assert.equal(
    said(await runImport(file, '--table', 'rigs_1_4', '--data', data, '--replace'), '1 added, 1 removed'),
    ['added rigs_1_4: 1 row (n integer)', 'removed flights_1_4: 1 row'],
  );
  assert.equal(await served(data), ['rigs_1_4 1', 'rigs_2_4 1']);
  // An update of a source that has the id under another name than a file that was added by hand.
  const source = folder('clash', { 'boats_1_4.csv': 'n\n1\n' });
  await refused(data, /table 4 of chain 1 is served as rigs_1_4 \(1 row\)/, source, '--update');
});

test('a snapshot that cannot be read has nothing that could be kept, which is said', async () => {
  const data = files.path('damaged');
  const source = folder('damaged-source', { 'a_1_1.csv': 'n\n1\n' });
  said(await runImport(source, '--data', data), '1 added');
  rmSync(`${(await currentSnapshot(data)).path}/rows.sqlite`);
  const ran = await runImport(source, '--data', data);
  assert.match(ran.err, /warning: tables of the snapshot before are not known: .*rows\.sqlite/);
  said(ran, '1 added');
});

test.run();
