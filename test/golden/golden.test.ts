// What is emitted for a statement, to be read: each file has statements behind `--` and below each the SQL for the
// folder's engine, or why there is none: then SQLite runs it in DuckDB's place, and over tables that live in Trino it is
// refused. The statements are the same for both. UPDATE_GOLDEN=1 writes them anew.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GatewayError } from '../../src/base/errors.ts';
import { compile } from '../../src/dialect/compile.ts';
import type { ColumnFacts } from '../../src/dialect/facts.ts';
import { NotNative } from '../../src/dialect/not-native.ts';
import { createRemoteCompiler, remoteSql } from '../../src/dialect/remote.ts';
import type { Schema, SchemaColumn, SchemaTable } from '../../src/dialect/schema.ts';
import { fillTemplate } from '../../src/dialect/template.ts';
import { createPlanner } from '../../src/snapshot/planner.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Literal } from '../../src/wire/protocol.ts';

const FACTS: ColumnFacts = {
  ascii: true,
  noNul: true,
  min: null,
  max: null,
  dates: null,
  json: false,
  maxCharacters: 40,
  nulls: 0,
};

function column(name: string, kind: 'integer' | 'real' | 'text', facts?: Partial<ColumnFacts>): SchemaColumn {
  const known = facts === undefined ? {} : { facts: { ...FACTS, ...facts } };
  return { name, kind, affinity: kind, notNull: name === 'id', collation: 'binary', ...known };
}

/** A table whose columns are known, and one that came over from the rows: nothing is known of its texts. */
const FLIGHTS: SchemaTable = {
  name: 'flights',
  columns: [
    column('id', 'integer', { min: '1', max: '3000000' }),
    column('at', 'text', { dates: 'datetime' }),
    column('day', 'text', { dates: 'date' }),
    column('delay', 'integer', { min: '-1000', max: '2000' }),
    column('origin', 'text', {}),
    column('note', 'text', { ascii: false }),
    column('price', 'real', { reals: { size: 2000, least: 0.01, digits: 2, scaled: 'scaled_9' } }),
    column('ratio', 'real', { reals: { size: 3, least: 1e-5, digits: null, scaled: null } }),
    column('meta', 'text', { json: true }),
    column('seen', 'integer', { min: '0', max: '2000000000' }),
  ],
  rowid: 'id',
  rows: 3_000_000,
  unique: [],
  columnar: true,
  version: '1',
  create: [
    'create table flights(id integer primary key, at text, day text, delay integer, origin text, note text, price real, ratio real, meta text, seen integer) strict',
    'create index flights_origin on flights(origin)',
  ],
};
const AIRPORTS: SchemaTable = {
  name: 'airports',
  columns: [column('id', 'integer'), column('code', 'text', { upper: true }), column('city', 'text')],
  rowid: 'id',
  rows: 300,
  unique: [],
  columnar: true,
  version: '1',
  create: ['create table airports(id integer primary key, code text, city text) strict'],
};
const schema: Schema = {
  tables: new Map([FLIGHTS, AIRPORTS].map((table) => [table.name, table])),
  blocks: new Map(),
  planner: createPlanner(),
};

type Emit = (shape: string, literals: readonly Literal[]) => string;

const remote = createRemoteCompiler(schema, ({ name }) => ({
  catalog: 'lake',
  schema: 's000001',
  table: name === 'airports' ? 'a1' : 'f1',
}));
const ENGINES: Readonly<Record<string, Emit>> = {
  duckdb: (shape, literals) => {
    try {
      return fillTemplate(compile(shape, literals, schema).sql, literals);
    } catch (error) {
      if (error instanceof NotNative) return `SQLite: ${error.what}`;
      throw error;
    }
  },
  trino: (shape, literals) => {
    try {
      return remoteSql(remote(shape, literals), literals);
    } catch (error) {
      if (error instanceof GatewayError && error.code === 'unsupported') return `refused: ${error.message}`;
      throw error;
    }
  },
};

const statementsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^-- (.+)$/gm)].map(([, statement]) => statement as string);
const UPDATES = process.env['UPDATE_GOLDEN'] === '1';
const FILES = readdirSync(join(import.meta.dirname, 'duckdb')).sort();

for (const [engine, emit] of Object.entries(ENGINES)) {
  test(`${engine} has a file for each of DuckDB's`, () => {
    assert.equal(readdirSync(join(import.meta.dirname, engine)).sort(), FILES);
  });
  for (const name of FILES)
    test(`${engine}/${name} is what is emitted`, () => {
      const path = join(import.meta.dirname, engine, name);
      const statements = statementsOf(readFileSync(join(import.meta.dirname, 'duckdb', name), 'utf8'));
      assert.ok(statements.length > 3);
      const made = statements
        .map((statement) => {
          const { shape, literals } = readStatement(statement, [], 35_000);
          return `-- ${statement}\n${emit(shape, literals)}\n`;
        })
        .join('\n');
      if (UPDATES) writeFileSync(path, made);
      else assert.is(readFileSync(path, 'utf8'), made);
    });
}

test.run();
