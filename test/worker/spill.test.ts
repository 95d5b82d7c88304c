// Temporary files of an engine that has no file system: what does not fit into memory is answered, within a bound, and
// no statement reaches them.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { textRows } from '../../src/worker/engine.ts';
import {
  MEMORY,
  openSession,
  retiredEngines,
  type Session,
  type SessionOptions,
} from '../../src/worker/session.ts';
import { makeSpill, type Spill } from '../../src/worker/spill.ts';

const MIB = 1024 * 1024;
const parent = mkdtempSync(join(tmpdir(), 'tablegate-spill-'));
// Engines with such files stay with their process, which ends at once as a lane does: not by closing them.
process.once('beforeExit', () => process.exit());
test.after(() => rmSync(parent, { recursive: true, force: true }));

const OPTIONS = { columns: undefined, threads: 2, memoryBytes: 24 * MIB, prelude: [] };
const open = (spill: Spill | undefined): Promise<Session> => openSession({ ...OPTIONS, spill });
const withSpill = async (bytes: number): Promise<readonly [Session, string]> => {
  const spill = makeSpill(parent, bytes);
  return [await open(spill), spill.folder];
};
const messageOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'it worked',
    (error: unknown) => String(error),
  );

/** All of so many rows are kept at once. */
const sorted = (rows: number): string =>
  `SELECT count(*)::VARCHAR, max(m) FROM (SELECT i, md5(i::VARCHAR) AS m FROM range(${rows}) t(i) ORDER BY m LIMIT ${rows - 1})`;
const ROWS = 500_000;
const LARGE = sorted(ROWS);
const ANSWER = String(ROWS - 1);
const SMALL = "SELECT 'well'";

test('what does not fit into memory is answered by means of files, and is an error without them', async () => {
  const without = await open(undefined);
  assert.match(await messageOf(textRows(without.connection, LARGE)), /Out of Memory|could not allocate/i);
  await without.close();
  const [session] = await withSpill(1024 * MIB);
  const [row] = await textRows(session.connection, LARGE);
  assert.is(row?.[0], ANSWER);
  await session.close();
});

test('its files are in no folder, and whatever comes to be at their place is out of reach', async () => {
  const [session, folder] = await withSpill(256 * MIB);
  assert.equal(readdirSync(parent), []);
  mkdirSync(folder);
  const secret = join(folder, 'duckdb_temp_storage_DEFAULT-0.tmp');
  writeFileSync(secret, 'secret');
  for (const sql of [
    `SELECT content FROM read_text('${secret}')`,
    `SELECT count(*) FROM glob('${folder}/*')`,
    `COPY (SELECT 1) TO '${folder}/written.csv'`,
    `SET temp_directory = '${folder}'`,
    'SELECT * FROM duckdb_temporary_files()',
  ])
    assert.match(
      await messageOf(session.connection.query(sql)),
      /disabled by configuration|configuration has been locked/,
      sql,
    );
  assert.not(existsSync(join(folder, 'written.csv')));
  // Running goes on without a path.
  assert.is((await textRows(session.connection, LARGE))[0]?.[0], ANSWER);
  await session.close();
  rmSync(folder, { recursive: true });
});

test('over its bytes a statement is refused, and the engine answers on', async () => {
  const [session] = await withSpill(32 * MIB);
  const message = await messageOf(textRows(session.connection, sorted(8 * ROWS)));
  assert.match(message, /Out of Memory|max_temp_directory_size/i);
  assert.equal(await textRows(session.connection, SMALL), [['well']]);
  await session.close();
});

test('several engines after each other can be closed, and those beside them answer on', async () => {
  const [kept] = await withSpill(64 * MIB);
  for (let n = 0; n < 3; n++) await (await withSpill(64 * MIB))[0].close();
  globalThis.gc?.();
  assert.equal(await textRows(kept.connection, SMALL), [['well']]);
  await kept.close();
});

test('what was brought over into the memory of an engine goes as it is closed', async () => {
  const [most, rows] = [64 * MIB, 8 * MIB];
  const grown: number[] = [];
  for (let n = 0; n < 4; n++) {
    const session = await openSession({
      ...OPTIONS,
      memoryBytes: 2 * most,
      spill: makeSpill(parent, 64 * MIB),
    });
    await session.connection.query(
      `CREATE TABLE ${MEMORY}.main."spill ""0" AS SELECT hash(i) AS v FROM range(${rows}) t(i)`,
    );
    await session.close();
    grown.push(process.memoryUsage.rss());
  }
  // Three times it is brought over anew: most of that is gone.
  const [first = 0] = grown;
  assert.ok((grown.at(-1) ?? 0) - first < 2 * most, String(grown));
});

/** How many more files of engines are open than before. */
const openFiles = (): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('duckdb_temp_storage');
    } catch {
      return false;
    }
  }).length;

test('a snapshot that cannot be opened leaves no engine, no files and no folder', async () => {
  const before = retiredEngines();
  const files = process.platform === 'linux' ? openFiles() : 0;
  const columns = join(parent, 'columns.duckdb');
  writeFileSync(columns, 'no database');
  const failing = (more: Partial<SessionOptions>): Promise<string> =>
    messageOf(openSession({ ...OPTIONS, spill: makeSpill(parent, 64 * MIB), ...more }));
  assert.match(await failing({ columns }), /not a valid DuckDB database/);
  // When its temporary files are open, but not yet locked.
  assert.match(await failing({ prelude: ['SELECT nothing'] }), /nothing/);
  rmSync(columns);
  assert.equal(readdirSync(parent), []);
  assert.is(retiredEngines(), before);
  if (process.platform === 'linux') assert.is(openFiles(), files);
});

test('too few bytes, too many, and a folder that is not there, are clear errors', () => {
  assert.throws(() => makeSpill(parent, MIB), /--spill-bytes leaves 1048576 bytes to each worker/);
  assert.throws(() => makeSpill(parent, 5_000 * MIB), /leaves 5242880000 .* 33554432 to 4718592000$/);
  assert.throws(() => makeSpill(join(parent, 'none'), 64 * MIB), /ENOENT/);
  assert.equal(readdirSync(parent), []);
});

test.run();
