// The tables of a data folder in a cluster of Trino, and what it answers there: statements are compiled for it, and its
// rows go through the encoders of the API. Nothing of a lane is in between.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError } from '../../src/base/errors.ts';
import { createCompiler } from '../../src/dialect/compile.ts';
import { ELSEWHERE, NotNative } from '../../src/dialect/not-native.ts';
import type { PlanColumn } from '../../src/dialect/plan.ts';
import { createRemoteCompiler, remoteSql } from '../../src/dialect/remote.ts';
import type { Schema, SchemaTable } from '../../src/dialect/schema.ts';
import { fillTemplate } from '../../src/dialect/template.ts';
import { identifier, textLiteral } from '../../src/dialect/value.ts';
import type { Cell } from '../../src/encode/json-rows.ts';
import { bodyMaker } from '../../src/encode/row-body.ts';
import { queryOfBody, queryOfSearch } from '../../src/routes/query-request.ts';
import { currentSnapshot } from '../../src/snapshot/folder.ts';
import { columnsPath, rowsPath } from '../../src/snapshot/layout.ts';
import { createPlanner } from '../../src/snapshot/planner.ts';
import { openRows } from '../../src/snapshot/rows.ts';
import { openSchema } from '../../src/snapshot/schema.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { openEngine } from '../../src/worker/engine.ts';
import { type Case, wireOf } from './case.ts';

/** What is needed of a cluster: a folder that is `local:///` there, and who may read and write over it. */
export interface Lake {
  readonly folder: string;
  read(sql: string): Promise<readonly (readonly unknown[])[]>;
  write(sql: string): Promise<unknown>;
}

/** `late`: it was compiled, and refused at a value or by Trino's own planner. */
export type RemoteReply =
  | { readonly body: string; readonly sql: string }
  | { readonly refused: string; readonly code: string; readonly late: boolean }
  | { readonly failed: string; readonly sql: string };

export interface RemoteSide {
  /**
   * @param known false: nothing is known of the columns but their types, as of another system's tables; undefined where
   * that makes the same SQL
   */
  ask(asked: Case, known: boolean): Promise<RemoteReply | undefined>;
  /** Whether the dialect has words for it, for the column store. */
  compiles(asked: Case): boolean;
  close(): Promise<void>;
}

const TYPES = { integer: 'BIGINT', real: 'DOUBLE', text: 'VARCHAR', blob: 'VARBINARY' } as const;
const MAX_STATEMENT = 35_000;

export async function openRemoteSide(
  data: string,
  names: readonly string[],
  lake: Lake,
): Promise<RemoteSide> {
  const snapshot = (await currentSnapshot(data)).path;
  const rows = openRows(rowsPath(snapshot));
  const schema: Schema = { ...openSchema(rows), planner: createPlanner() };
  const space = `d${process.pid}_${Date.now()}`;
  const places = new Map<string, string>();
  await lake.write(`CREATE SCHEMA lake_publish.${space}`);
  const engine = await openEngine(columnsPath(snapshot), { access_mode: 'READ_ONLY', threads: '1' });
  const connection = await engine.connect();
  for (const [i, name] of names.entries()) {
    const table = schema.tables.get(name.toLowerCase()) as SchemaTable;
    const columns = columnsOf(table);
    if (columns === undefined) continue;
    const folder = join(lake.folder, 'files', space, `t${i}`);
    mkdirSync(folder, { recursive: true });
    const list = columns.map(([column]) => identifier(column)).join(', ');
    await connection.query(
      `COPY (SELECT ${list} FROM ${identifier(table.name)}) TO ${textLiteral(join(folder, 'rows.parquet'))} (FORMAT parquet)`,
    );
    await lake.write(
      `CREATE TABLE lake_publish.${space}.t${i} (${columns.map(([column, type]) => `${identifier(column)} ${type}`).join(', ')}) WITH (external_location = 'local:///files/${space}/t${i}', format = 'PARQUET')`,
    );
    places.set(table.name, `t${i}`);
  }
  connection.close();
  engine.close();
  const compiler = (of: Schema) =>
    createRemoteCompiler(of, ({ name }) => {
      const table = places.get(name);
      return table === undefined ? undefined : { catalog: 'lake', schema: space, table };
    });
  const columnar = createCompiler(schema);
  const compilers = { known: compiler(schema), unknown: compiler(withoutFacts(schema)) };
  return {
    async ask(asked, known) {
      let sql: string;
      let columns: readonly { readonly name: string; readonly kind: PlanColumn['kind'] }[];
      let make: ReturnType<typeof bodyMaker>;
      try {
        const { query, shape, literals } = read(asked);
        const plan = compilers[known ? 'known' : 'unknown'](shape, literals);
        sql = remoteSql(plan, literals);
        if (!known && sql === remoteSql(compilers.known(shape, literals), literals)) return undefined;
        columns = plan.columns.map(({ name, kind }) => ({ name: fillTemplate(name, literals), kind }));
        make = bodyMaker(
          columns.map(({ name }) => ({ name, type: null })),
          query.output,
        );
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return { refused: error.message, code: error.code, late: false };
      }
      let cells: readonly (readonly Cell[])[];
      try {
        cells = (await lake.read(sql)).map((row) =>
          row.map((cell, i) => cellOf(cell, columns[i]?.kind ?? 'any')),
        );
      } catch (error) {
        const { message } = error as Error;
        if (message.includes(ELSEWHERE) || AT_A_VALUE.test(message))
          return { refused: message, code: 'unsupported', late: true };
        return { failed: message, sql };
      }
      try {
        const encoder = make();
        encoder.add(cells);
        encoder.finish();
        return { body: Buffer.from(encoder.takeWhole()).toString(), sql };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        return { refused: error.message, code: error.code, late: true };
      }
    },
    compiles(asked) {
      try {
        const { shape, literals } = read(asked);
        columnar(shape, literals);
        return true;
      } catch (error) {
        if (error instanceof GatewayError || error instanceof NotNative) return false;
        throw error;
      }
    },
    async close() {
      rows.close();
      for (const place of places.values()) await lake.write(`DROP TABLE lake_publish.${space}.${place}`);
      await lake.write(`DROP SCHEMA lake_publish.${space}`);
    },
  };
}

/** @throws GatewayError */
function read(asked: Case) {
  const { path, body } = wireOf(asked);
  const query =
    body === undefined ? queryOfSearch(path.slice(path.indexOf('?') + 1)) : queryOfBody(Buffer.from(body));
  return { query, ...readStatement(query.statement, query.params, MAX_STATEMENT) };
}

/** What the emitted form is not exact for, or Trino does not plan: the client is told that it is not supported. */
const AT_A_VALUE =
  /^(?:NUMERIC_VALUE_OUT_OF_RANGE|INVALID_CAST_ARGUMENT|INVALID_FUNCTION_ARGUMENT|NOT_SUPPORTED|UNSUPPORTED_SUBQUERY)\b/;

/** Undefined where a column has no type of its own, or Trino cannot tell two of them apart. */
function columnsOf(table: SchemaTable): readonly (readonly [name: string, type: string])[] | undefined {
  const columns: (readonly [string, string])[] = [];
  for (const { name, kind } of table.columns) {
    if (kind === 'any') return undefined;
    columns.push([name, TYPES[kind]]);
  }
  const { rowid } = table;
  if (rowid !== undefined && !columns.some(([name]) => name === rowid)) columns.push([rowid, 'BIGINT']);
  return new Set(columns.map(([name]) => name.toLowerCase())).size === columns.length ? columns : undefined;
}

function withoutFacts(schema: Schema): Schema {
  const { tables } = schema;
  return {
    ...schema,
    tables: {
      get(name) {
        const table = tables.get(name);
        if (table === undefined) return undefined;
        return {
          ...table,
          columns: table.columns.map(({ facts: _, ...column }) => column),
          create: table.create,
        };
      },
      values: () => tables.values(),
    },
  };
}

/** As the protocol has it. */
function cellOf(cell: unknown, kind: PlanColumn['kind']): Cell {
  if (cell === null || cell === undefined) return null;
  switch (kind) {
    case 'integer':
      return BigInt(cell as string);
    case 'real':
      return Number(cell);
    case 'text':
      return cell as string;
    case 'blob':
      return Buffer.from(cell as string, 'base64');
    case 'any': {
      const [integer, real] = cell as readonly [string | null, unknown];
      if (integer !== null) return BigInt(integer);
      return real === null ? null : Number(real);
    }
  }
}
