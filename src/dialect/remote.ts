// Statements over tables that live in a distributed engine (Trino): the same rules, its column of words, and at the end
// a whitelist of all that is emitted. There is no other engine that could answer in its place: what it has no exact
// words for is refused.
import { GatewayError } from '../base/errors.ts';
import type { Literal } from '../wire/protocol.ts';
import { compile } from './compile.ts';
import { TRINO } from './engines/trino.ts';
import { explainedStatement } from './explain.ts';
import { NotNative } from './not-native.ts';
import type { Compile, Plan } from './plan.ts';
import { checkRemote } from './remote-gate.ts';
import type { Schema, SchemaTable } from './schema.ts';
import { fillTemplate, type Render, rendered } from './template.ts';
import { identifier } from './value.ts';

/** Where a table lies there. Its columns, and its rowid, have the names that {@link SchemaTable} says. */
export interface RemoteRelation {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
}

/**
 * The compiler of one snapshot. A result column of integers comes as texts of digits, one of kind `any` as
 * `[digits or null, real or null]`.
 * @param relationOf undefined: the table is not there
 */
export function createRemoteCompiler(
  schema: Schema,
  relationOf: (table: SchemaTable) => RemoteRelation | undefined,
): Compile {
  return (shape, literals) => {
    const names = new Set<string>();
    const missing = new Set<string>();
    const relation = (table: SchemaTable): string => {
      const found = relationOf(table);
      if (found === undefined) {
        // All that are not there are told at once.
        missing.add(table.name);
        return identifier(table.name);
      }
      const parts = [found.catalog, found.schema, found.table].map(identifier);
      const own = [
        ...table.columns.map(({ name }) => name),
        ...(table.rowid === undefined ? [] : [table.rowid]),
      ];
      for (const name of [parts.join('.'), ...own.map(identifier)]) names.add(name);
      return parts.join('.');
    };
    try {
      const plan = { ...compile(shape, literals, schema, { engine: TRINO, relation }), names };
      if (missing.size > 0) throw notThere([...missing]);
      remoteSql(plan, literals);
      return plan;
    } catch (error) {
      const said =
        error instanceof NotNative
          ? missing.size > 0
            ? notThere([...missing])
            : refusal(error.what)
          : error;
      if (!(said instanceof GatewayError)) throw said;
      throw explainedStatement(said, { shape, literals }, schema);
    }
  };
}

/**
 * The text that goes to the engine.
 * @throws GatewayError unsupported, where anything stands in it that is not known
 */
export function remoteSql({ sql, names }: Pick<Plan, 'sql' | 'names'>, literals: readonly Literal[]): string {
  let text: string;
  try {
    text = fillTemplate(sql, literals, render);
  } catch (error) {
    throw error instanceof NotNative ? refusal(error.what) : error;
  }
  const stranger = checkRemote(text, names ?? new Set());
  if (stranger !== undefined) throw refusal(stranger);
  return text;
}

const render: Render = (as, literal) => {
  if (literal.kind === 'blob') return `from_hex('${literal.text}')`;
  const text = rendered(as, literal);
  // As many rows as there are.
  return as === 'limit' && text === 'NULL' ? 'ALL' : text;
};

function refusal(what: string): GatewayError {
  return new GatewayError('unsupported', `${what}: the table lives in the distributed engine`, {
    hint: 'There, only what means exactly the same as in SQLite is answered.',
  });
}

function notThere(names: readonly string[]): GatewayError {
  const which = names.length === 1 ? `table ${names[0]} is` : `tables ${names.join(', ')} are`;
  return new GatewayError(
    'unsupported',
    `${which} not in the distributed engine, and the statement reads one that is`,
    {
      hint: 'A statement reads tables of the gateway, or tables of the distributed engine, where large tables of the gateway may be, too.',
    },
  );
}
