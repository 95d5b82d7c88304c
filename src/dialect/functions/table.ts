// Table functions that may stand in FROM: json_each and json_tree (json1.html section 4.25). A function in
// JavaScript writes all rows as one text (runtime/json-rows.ts), which the engine takes apart.
import { GatewayError } from '../../errors.ts';
import { nullOf } from '../operators/computed.ts';
import { toText } from '../operators/convert.ts';
import type { Template } from '../plan.ts';
import { type Affinity, type Kind, sql, type Value } from '../value.ts';

export interface TableColumn {
  readonly name: string;
  readonly kind: Exclude<Kind, 'boolean' | 'null'>;
  readonly affinity: Affinity;
  /** Column that holds it as JSON functions embed it, where it may be JSON. */
  readonly json?: string;
}

export interface TableFunction {
  readonly columns: readonly TableColumn[];
  /** Name of the column in whose order the rows come. */
  readonly order: string;
  /** A SELECT in the engine's SQL that gives the columns by name; it may be correlated. */
  readonly emit: (args: readonly Value[]) => Template;
}

const COLUMNS: readonly TableColumn[] = [
  { name: 'key', kind: 'any', affinity: 'none' },
  { name: 'value', kind: 'any', affinity: 'none', json: 'value json' },
  { name: 'type', kind: 'text', affinity: 'text' },
  { name: 'atom', kind: 'any', affinity: 'none' },
  { name: 'id', kind: 'integer', affinity: 'integer' },
  { name: 'parent', kind: 'integer', affinity: 'integer' },
  { name: 'fullkey', kind: 'text', affinity: 'text' },
  { name: 'path', kind: 'text', affinity: 'text' },
];

const FIELDS =
  `CASE WHEN p[1] <> '' THEN tg_json_extract(p[1], '$') END AS "key", tg_json_extract(p[2], '$') AS "value", ` +
  `tg_json_extract_json(p[2], '$') AS "value json", tg_json_type(p[2], '$') AS "type", ` +
  `CASE WHEN NOT starts_with(p[2], '{') AND NOT starts_with(p[2], '[') THEN tg_json_extract(p[2], '$') END AS "atom", ` +
  `CAST(p[3] AS BIGINT) AS "id", CAST(NULLIF(p[4], '') AS BIGINT) AS "parent", p[5] AS "fullkey", p[6] AS "path"`;

function emit(name: string, engineName: string, [json, path, ...more]: readonly Value[]): Template {
  if (more.length > 0) throw new GatewayError('unknown-function', `too many arguments on ${name}() - max 2`);
  const text = toText(json ?? nullOf('text')).sql;
  const root = path === undefined ? ["'$'"] : toText(path).sql;
  const rows = sql`string_split(${engineName}(${text}, ${root}), chr(30))`;
  return sql`SELECT ${FIELDS} FROM (SELECT string_split(r, chr(31)) AS p FROM unnest(${rows}) AS u(r)) AS w`;
}

const jsonRows = (name: string, engineName: string): TableFunction => ({
  columns: COLUMNS,
  order: 'id',
  emit: (args) => emit(name, engineName, args),
});

const TABLE_FUNCTIONS: ReadonlyMap<string, TableFunction> = new Map([
  ['json_each', jsonRows('json_each', 'tg_json_each')],
  ['json_tree', jsonRows('json_tree', 'tg_json_tree')],
]);

/** @param name in lower case */
export function tableFunction(name: string): TableFunction | undefined {
  return TABLE_FUNCTIONS.get(name);
}
