// One table of a plain SQLite database -> a table of a snapshot under a name of its own: columns, keys, indexes and
// rowids as they are there.
import type { TableName } from '../source/table-file.ts';
import { ddlTokens } from './ddl-tokens.ts';
import { ImportError } from './failure.ts';
import { type ImportJob, importTable } from './import-database.ts';
import { changedAt } from './import-file.ts';
import { withSqlite } from './sqlite-open.ts';
import { createDescriber, foldName, namesIn, quoteName, readCreated } from './sqlite-tables.ts';

/** @param from its name in the source. @throws ImportError, SourceChanged */
export async function importSqliteTable(job: ImportJob, name: TableName, from: string): Promise<void> {
  const { source, progress, signal } = job;
  const createdAt = await changedAt(source);
  progress.stage('opening the source');
  await withSqlite(source, job.scratch, signal, async (opened) => {
    const { database } = opened;
    const created = readCreated(database);
    const found = created.get(foldName(from));
    if (found === undefined)
      throw new ImportError(`${source} has no table ${JSON.stringify(from)}; ${namesIn(created)}`);
    const sql = found.sql.map((create) => renamedSql(create, found.name, name.name));
    const described = createDescriber(database)({ ...found, sql, registered: { ...name, createdAt } });
    const table = { ...described, table: { ...described.table, name: name.name } };
    const gone = job.leaving([name]);
    const builder = await job.open('current');
    builder.attachRows(database);
    for (const other of gone) await builder.dropTable(other);
    progress.expect(1);
    await importTable(job, builder, database, table, undefined, progress.part(1));
    await opened.checkUnchanged();
    await job.finish(builder);
  });
}

/**
 * The same under another name. Indexes share one room of names, so theirs begin with the table's.
 * @param sql as SQLite keeps it: CREATE TABLE name ..., CREATE INDEX name ON table ...
 */
function renamedSql(sql: string, from: string, to: string): string {
  const tokens = ddlTokens(sql);
  const index = tokens.slice(0, 3).findIndex(({ text }) => text.toLowerCase() === 'index');
  let written = '';
  let at = 0;
  for (const [i, { value, start, end }] of tokens.entries()) {
    const isTable = i === (index < 0 ? 2 : index + 3);
    // CHECK(t.a > 0): a table may be named where one of its columns is.
    const isQualifier = foldName(value) === foldName(from) && tokens[i + 1]?.text === '.';
    const name =
      isTable || isQualifier ? to : index >= 0 && i === index + 1 ? quoteName(`${to} ${value}`) : undefined;
    if (name === undefined) continue;
    written += sql.slice(at, start) + name;
    at = end;
  }
  return written + sql.slice(at);
}
