// The same small tables in SQLite and, as an import would lay them out, in DuckDB: what a statement answers in
// the one, and what its compiled form answers in the other. Rows come in order, cells as text with their type.
import { DatabaseSync } from '@photostructure/sqlite';
import { GatewayError } from '../../src/base/errors.ts';
import { createCompiler } from '../../src/dialect/compile.ts';
import type { ColumnFacts } from '../../src/dialect/facts.ts';
import { checkTree } from '../../src/dialect/gate.ts';
import { ELSEWHERE, NotNative } from '../../src/dialect/not-native.ts';
import type { Compile, Plan } from '../../src/dialect/plan.ts';
import type { Schema, SchemaColumn, SchemaTable } from '../../src/dialect/schema.ts';
import { fillTemplate } from '../../src/dialect/template.ts';
import { createPlanner } from '../../src/snapshot/planner.ts';
import { type ParamValue, readStatement } from '../../src/statement/statement.ts';
import { type EngineConnection, openEngine, textRows } from '../../src/worker/engine.ts';

export const TABLES = `
create table t(g integer, a integer, b text) strict;
insert into t values (2,5,'x5'),(1,3,'x3'),(1,9,'x9'),(1,3,'y3'),(2,null,'n1'),(3,null,'n2'),(3,null,'n3'),(2,1,'x1');
create table pk(id integer primary key, v text, n int) strict;
insert into pk values (5,'five',50),(3,'three',30),(9,'nine',null),(1,'one',10),(2,'Two',20),(7,'two',20),(8,null,80);
create table texts(id integer primary key, s text, k text not null) strict;
insert into texts values (1,'10','a'),(2,'9','B'),(3,'abc','b'),(4,'','A'),(5,null,'c'),(6,'1e2','C'),(7,' 7','a '),
  (8,'{"a":1,"b":[1,2,{"c":3}]}','d'),(9,'É','é'),(10,'5 apples','e'),(11,'10.0','f'),(12,'-3','g');
create table blobs(id int, d blob) strict;
insert into blobs values (1,x'00ff'),(2,x''),(3,null),(4,x'616263'),(5,x'61');
create table empty(id integer primary key, x text, y integer) strict;
create table nums(id integer primary key, i integer, r real) strict;
insert into nums values (1,9223372036854775807,1.5),(2,-9223372036854775808,-0.5),(3,0,0.0),(4,42,3.0),(5,null,null),
  (6,9007199254740993,1e300),(7,-1,2.5);
create table nc(id integer primary key, name text collate nocase, x integer) strict;
insert into nc values (1,'Bob',1),(2,'alice',2),(3,'bob',3),(4,'Alice',4),(5,'BOB',5),(6,null,6),(7,'carol',7);
create table "odd name"("select" integer, "a b" text, "Ünï" text) strict;
insert into "odd name" values (1,'p','q'),(2,'r','s');
create table emp(id integer primary key, boss integer, name text, pay integer) strict;
insert into emp values (1,null,'ann',100),(2,1,'ben',80),(3,1,'cat',90),(4,2,'dan',50),(5,2,'eve',60),(6,3,'fay',50),(7,6,'gus',40);
create table pair(a integer, b text, c text, primary key(a, b)) strict;
insert into pair values (2,'z','1'),(1,'y','2'),(2,'A','3'),(1,'x','4'),(3,'m','5'),(2,'q','6'),(1,'Z','7');
create table tags(item integer not null, tag text, weight integer, unique(item, tag)) strict;
insert into tags values (1,'red',3),(2,'old',1),(1,'blue',5),(1,'Green',2),(2,'new',4),(3,null,7),(3,null,6);
create table codes(id integer primary key, code text not null, rank integer, unique(code)) strict;
insert into codes values (1,'b',4),(2,'A',3),(3,'B',2),(4,'a',1),(5,'c',5),(6,'C',0);
`;

type Sqlite = InstanceType<typeof DatabaseSync>;

export interface Rows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
/** `elsewhere`: why SQLite is to run it. */
export type Answer = Rows | { readonly error: string } | { readonly elsewhere: string };

export interface Engines {
  readonly schema: Schema;
  readonly compile: Compile;
  sqlite(statement: string): Answer;
  ours(statement: string, params?: readonly ParamValue[]): Promise<Answer>;
  /** The plan and its SQL as the engine would get it. */
  plan(statement: string): { readonly plan: Plan; readonly sql: string };
  close(): void;
}

/** @param script makes the tables and their rows, in SQLite's dialect */
export async function openEngines(script = TABLES): Promise<Engines> {
  const sqlite = new DatabaseSync(':memory:', { enableDoubleQuotedStringLiterals: true });
  sqlite.function('round', { varargs: true, deterministic: true, directOnly: false }, round);
  sqlite.exec(script);
  const engine = await openEngine(':memory:', { threads: '1' });
  const connection = await engine.connect();
  const schema: Schema = {
    tables: await copyTables(sqlite, connection),
    blocks: new Map([[1, 77]]),
    planner: createPlanner(),
  };
  const compile = createCompiler(schema);
  const plan = (statement: string, params: readonly ParamValue[]) => {
    const { shape, literals } = readStatement(statement, params, 100_000);
    const made = compile(shape, literals);
    return {
      plan: made,
      sql: fillTemplate(made.sql, literals),
      names: made.columns.map((column) => fillTemplate(column.name, literals)),
    };
  };
  return {
    schema,
    compile,
    plan: (statement) => plan(statement, []),
    sqlite: (statement) => sqliteAnswer(sqlite, statement),
    async ours(statement, params = []) {
      try {
        return await run(connection, plan(statement, params));
      } catch (error) {
        if (error instanceof NotNative) return { elsewhere: error.what };
        if (error instanceof GatewayError) return { error: error.code };
        const message = String((error as Error).message);
        if (message.includes(ELSEWHERE) || /^(Out of Range|Conversion) Error/.test(message))
          return { elsewhere: `at a value: ${message.split('\n')[0]}` };
        return { error: `engine: ${message}` };
      }
    },
    close() {
      sqlite.close();
      connection.close();
      engine.close();
    },
  };
}

async function run(
  connection: EngineConnection,
  { plan, sql, names }: { readonly plan: Plan; readonly sql: string; readonly names: readonly string[] },
): Promise<Rows> {
  const tree = await textRows(
    connection,
    `SELECT json_serialize_sql('${sql.replaceAll("'", "''")}')::VARCHAR`,
  );
  checkTree(JSON.parse(tree[0]?.[0] ?? 'null'), plan.tables);
  const typed = plan.columns.flatMap(({ kind }, i) => [
    kind === 'any' ? `union_tag(c${i})::VARCHAR` : `'${kind[0]}'`,
    kind === 'blob'
      ? `hex(c${i})`
      : kind === 'any'
        ? anyText(`c${i}`)
        : kind === 'real'
          ? `c${i}::VARCHAR`
          : `c${i}::VARCHAR`,
  ]);
  const cells = await textRows(connection, `SELECT ${typed.join(', ')} FROM (${sql})`);
  return {
    names,
    rows: cells.map((row) =>
      plan.columns.map((_, i) => {
        const [kind, text] = [row[2 * i], row[2 * i + 1]];
        if (text === null || text === undefined) return 'null';
        return `${kind}:${kind === 'r' ? realText(Number(text.replace(/^(-?)inf/, '$1Infinity'))) : text}`;
      }),
    ),
  };
}

function anyText(value: string): string {
  return `CASE union_tag(${value}) WHEN 'b' THEN hex(union_extract(${value}, 'b')) WHEN 'i' THEN union_extract(${value}, 'i')::VARCHAR WHEN 'r' THEN union_extract(${value}, 'r')::VARCHAR ELSE union_extract(${value}, 't') END`;
}

/** SQLite itself says the type and text of each cell, so that no number passes through JavaScript. */
function sqliteAnswer(sqlite: Sqlite, statement: string): Answer {
  try {
    const prepared = sqlite.prepare(statement);
    prepared.setReadBigInts(true);
    prepared.setReturnArrays?.(true);
    const names = prepared.columns().map((column) => column.name ?? '');
    const rows = prepared.all() as unknown as readonly (readonly Cell[])[];
    return { names, rows: rows.map((row) => row.map(cellText)) };
  } catch (error) {
    return { error: String((error as Error).message) };
  }
}

/** As SQLite 3.39, which rounds half up what the first sixteen digits of a number say. */
function round(value: unknown, digits: unknown = 0): number | null {
  if (value === null || digits === null) return null;
  const [x, places] = [Number(value), Math.max(0, Number(digits))];
  if (Math.abs(x) >= 2 ** 52) return x;
  if (places === 0) return Math.trunc(x + (x < 0 ? -0.5 : 0.5)) + 0;
  const [mantissa = '', exponent = '0'] = Math.abs(x).toExponential(15).split('e');
  const shift = 15 - Number(exponent) - places;
  const whole = BigInt(mantissa.replace('.', ''));
  const text =
    shift <= 0 ? `${whole}e${-15 + Number(exponent)}` : `${rounded(whole, BigInt(shift))}e${-places}`;
  return x < 0 ? -Number(text) : Number(text);
}

function rounded(whole: bigint, shift: bigint): bigint {
  const unit = 10n ** shift;
  return (2n * whole + unit) / (2n * unit);
}

type Cell = null | bigint | number | string | Uint8Array;

function cellText(value: Cell): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return `i:${value}`;
  if (typeof value === 'number') return `r:${realText(value)}`;
  if (typeof value === 'string') return `t:${value}`;
  return `b:${Buffer.from(value).toString('hex').toUpperCase()}`;
}

/** Every digit counts. */
function realText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

const ENGINE_TYPES: Readonly<Record<string, string>> = {
  integer: 'BIGINT',
  text: 'VARCHAR',
  blob: 'BLOB',
  real: 'DOUBLE',
};

interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
}

async function copyTables(sqlite: Sqlite, connection: EngineConnection): Promise<Map<string, SchemaTable>> {
  const tables = new Map<string, SchemaTable>();
  const list = sqlite.prepare("select name, sql from sqlite_master where type = 'table'").all() as {
    readonly name: string;
    readonly sql: string;
  }[];
  for (const { name, sql } of list) {
    const info = sqlite.prepare(`pragma table_info("${name}")`).all() as unknown as ColumnInfo[];
    const columns = info.map(
      (column): SchemaColumn => ({
        name: column.name,
        kind: kindOf(column.type),
        affinity: kindOf(column.type),
        notNull: column.notnull === 1 || column.pk > 0,
        collation: new RegExp(`\\b${column.name} text collate nocase`).test(sql) ? 'nocase' : 'binary',
        facts: countFacts(sqlite, name, column.name),
      }),
    );
    const keys = info.filter((column) => column.pk > 0);
    const primary = keys.length === 1 && keys[0]?.type === 'INTEGER' ? keys[0].name : undefined;
    const unique = [...sql.matchAll(/(?:primary key|unique)\s*\(([^)]*)\)/g)].map((match) =>
      (match[1] as string).split(',').map((column) => column.trim()),
    );
    tables.set(name.toLowerCase(), {
      name,
      columns,
      rowid: primary ?? '_rowid',
      rows: 0,
      unique,
      columnar: true,
      version: 'test',
      create: created(sqlite, name),
    });
    await copyRows(sqlite, connection, name, columns, primary);
  }
  return tables;
}

function created(sqlite: Sqlite, table: string): readonly string[] {
  const rows = sqlite
    .prepare(
      "select sql from sqlite_schema where tbl_name = ? and sql is not null order by type = 'table' desc, rowid",
    )
    .all(table) as unknown as readonly { readonly sql: string }[];
  return rows.map(({ sql }) => sql);
}

function kindOf(type: string): 'integer' | 'text' | 'blob' | 'real' {
  const kind = type.toLowerCase();
  if (kind === 'int' || kind === 'integer') return 'integer';
  if (kind === 'text' || kind === 'blob' || kind === 'real') return kind;
  throw new Error(`no kind for ${type}`);
}

async function copyRows(
  sqlite: Sqlite,
  connection: EngineConnection,
  name: string,
  columns: readonly SchemaColumn[],
  primary: string | undefined,
): Promise<void> {
  const definitions = columns.map(
    (column) =>
      `"${column.name}" ${ENGINE_TYPES[column.kind]}${column.name === primary ? ' PRIMARY KEY' : ''}`,
  );
  if (primary === undefined) definitions.push('_rowid BIGINT');
  await connection.query(`CREATE TABLE "${name}" (${definitions.join(', ')})`);
  // Texts as bytes: the binding would end them at a NUL.
  const cells = columns.map((column) =>
    column.kind === 'text' ? `cast("${column.name}" as blob) as "${column.name}"` : `"${column.name}"`,
  );
  if (primary === undefined) cells.push('rowid');
  const prepared = sqlite.prepare(`select ${cells.join(', ')} from "${name}" order by rowid`);
  prepared.setReadBigInts(true);
  for (const row of prepared.all() as Record<string, Cell>[]) {
    const values = Object.values(row).map((cell, i) =>
      cell instanceof Uint8Array && columns[i]?.kind === 'text'
        ? `decode(${engineLiteral(cell)})`
        : engineLiteral(cell),
    );
    await connection.query(`INSERT INTO "${name}" VALUES (${values.join(', ')})`);
  }
}

function engineLiteral(value: Cell): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return `CAST('${value}' AS DOUBLE)`;
  return `from_hex('${Buffer.from(value).toString('hex')}')`;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const SECOND = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** As an import counts them. */
export function countFacts(sqlite: Sqlite, table: string, column: string): ColumnFacts {
  const prepared = sqlite.prepare(`select cast("${column}" as blob) as b, "${column}" as v from "${table}"`);
  prepared.setReadBigInts(true);
  const rows = prepared.all() as unknown as readonly { readonly b: Uint8Array; readonly v: Cell }[];
  const texts = rows.flatMap(({ b, v }) => (typeof v === 'string' ? [Buffer.from(b).toString()] : []));
  const integers = rows.flatMap(({ v }) => (typeof v === 'bigint' ? [v] : []));
  const reals = rows.flatMap(({ v }) => (typeof v === 'number' && Number.isFinite(v) ? [v] : []));
  const sorted = integers.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const real = (text: string): boolean => {
    const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text.slice(0, 10);
  };
  const all = (form: RegExp): boolean =>
    texts.length > 0 && texts.every((text) => form.test(text) && real(text));
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  return {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is counted.
    ascii: texts.every((text) => /^[\x00-\x7f]*$/.test(text)),
    noNul: texts.every((text) => !text.includes('\0')),
    lower: texts.every((text) => !/[A-Z]/.test(text)),
    upper: texts.every((text) => !/[a-z]/.test(text)),
    min: sorted[0] === undefined ? null : String(sorted[0]),
    max: sorted.length === 0 ? null : String(sorted.at(-1)),
    dates: all(DAY) ? 'date' : all(SECOND) ? 'datetime' : null,
    json: texts.length > 0 && texts.every(isJson),
    maxCharacters: Math.max(0, ...texts.map((text) => [...text].length)),
    nulls: rows.filter(({ v }) => v === null).length,
    reals:
      reals.length === 0
        ? null
        : {
            size: Math.max(...reals.map(Math.abs)),
            least: Math.min(...reals.filter((x) => x !== 0).map(Math.abs)),
            digits: null,
            scaled: null,
          },
  };
}
