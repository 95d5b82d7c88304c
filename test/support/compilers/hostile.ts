// The dialect's own compiler, but for statements whose column is named after a deed: those become SQL of the scan
// lane's engine that ends it, that no interrupt stops, and so on. To the other engine the same statement is harmless.
import { writeSync } from 'node:fs';
import type { Compile } from '../../../src/dialect/plan.ts';
import type { Schema } from '../../../src/dialect/schema.ts';

declare const DIALECT: string;
const dialect = (await import(DIALECT)) as typeof import('../../../src/dialect/compile.ts');
export const { PRELUDE, MACROS } = dialect;

/** One row of one integer each, where nothing else is said. */
export const DEEDS: { readonly [column: string]: string } = {
  crash: `SELECT length(json_structure(repeat('[', 200000) || repeat(']', 200000))::VARCHAR)::BIGINT AS c0`,
  hang: `SELECT levenshtein(repeat('a', 60000), repeat('b', 60000))::BIGINT AS c0`,
  poison: `SELECT count(*)::BIGINT AS c0 FROM force_checkpoint('system')`,
  endless: 'SELECT count(*)::BIGINT AS c0 FROM range(100000000000) t(i)',
  greedy: `SELECT len(list_transform(range(40000000), lambda x: repeat(x::VARCHAR, 6)))::BIGINT AS c0`,
  memory:
    'SELECT count(*)::BIGINT AS c0 FROM (SELECT DISTINCT i, repeat(i::VARCHAR, 30) FROM range(30000000) t(i))',
  // A text. The engine works 60,000 rows ahead of what is taken: some parts are sent, more than are held of what is new,
  // and then no other ever comes.
  sends: `SELECT CASE WHEN i = 80000 THEN levenshtein(repeat('a', 60000 + i % 2), repeat('b', 60000))::VARCHAR
    ELSE repeat('x', 400) END AS c0 FROM range(81000) t(i)`,
  overflow: 'SELECT (9223372036854775807 + i)::BIGINT AS c0 FROM range(1, 2) t(i)',
};

/** Bytes that are no frame into the lane's socket: what it would do if its memory were damaged. */
const WIRE = 'wire';
const SOCKET_FD = 3;

export function createCompiler(schema: Schema): Compile {
  const compile = dialect.createCompiler(schema);
  return (...given) => {
    const plan = compile(...given);
    const deed = /\bas (\w+)/i.exec(given[0])?.[1];
    if (deed === WIRE) writeSync(SOCKET_FD, Buffer.alloc(64, 0xff));
    const sql = deed === undefined ? undefined : DEEDS[deed.toLowerCase()];
    return sql === undefined ? plan : { ...plan, sql: [sql] };
  };
}
