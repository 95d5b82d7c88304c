// The gate: decides on the engine's own parse tree (json_serialize_sql) whether a statement may run. It knows
// the nodes that our emitter has reason to write and refuses all others: a node, key, type or function of
// another engine version stays outside until somebody has looked at it. Pure; runs nothing.
import { CALLABLE, TABLE_CALLABLE } from './gate-functions.ts';
import {
  any,
  type Check,
  checkShape,
  deeper,
  empty,
  exactly,
  isTree,
  list,
  no,
  nothing,
  oneOf,
  optional,
  type Place,
  refuse,
  type Shape,
  type Tree,
  tooComplex,
  type Walk,
} from './gate-shape.ts';

/** Bounds of the emitted statement, which is some times larger than the client's. Beyond them the engine's planner hangs. */
const MAX_SELECT_DEPTH = 40;
const MAX_SELECTS = 600;
const MAX_JOINS = 64;
const MAX_LAMBDAS = 64;
const MAX_IN = 10_000;
const MAX_COLUMNS = 2_000;

const expression = oneOf('class', () => EXPRESSIONS, 'expression');
const expressions = list(expression);
const modifier = oneOf('type', () => MODIFIERS, 'clause');
const fromTable = oneOf('type', () => SOURCES, 'table');

const FUNCTION_COMMON: Shape = {
  class: any,
  type: any,
  alias: any,
  query_location: any,
  schema: exactly('', 'main'),
  catalog: exactly(''),
  children: expressions,
  distinct: any,
};

const callable =
  (isKnown: (name: string, walk: Walk) => boolean): Check =>
  (value, at) => {
    if (typeof value !== 'string' || !isKnown(value, at.walk)) refuse(`function ${String(value)}`);
  };
const scalarName = callable((name, walk) => CALLABLE.has(name) || walk.macros.has(name));
const tableName = callable((name) => TABLE_CALLABLE.has(name));

const functionShape = (name: Check): Shape => ({
  ...FUNCTION_COMMON,
  function_name: name,
  filter: optional(expression),
  order_bys: optional(modifier),
  is_operator: any,
  export_state: no,
});

const BASE: Shape = { class: any, alias: any, query_location: any };
const PAIR: Shape = { ...BASE, type: any, left: expression, right: expression };

const TYPE_IDS: ReadonlySet<string> = new Set(
  `BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT FLOAT DOUBLE DECIMAL
   VARCHAR BLOB BIT DATE TIME TIMESTAMP TIMESTAMP_MS TIMESTAMP_S TIMESTAMP_NS INTERVAL NULL SQLNULL UNION STRUCT LIST ARRAY MAP
   INTEGER_LITERAL STRING_LITERAL`.split(/\s+/),
);
/** Types that the engine looks up by name. */
const TYPE_NAMES: ReadonlySet<string> = new Set(
  `json bignum varint union bigint double varchar blob boolean integer hugeint uhugeint ubigint decimal list struct map
   text utinyint usmallint uinteger tinyint smallint float date time timestamp interval bit array`.split(
    /\s+/,
  ),
);
/** Keys of a type's info whose values are types or hold some; the others are plain. */
const checkType: Check = (value, at) => {
  if (!isTree(value)) refuse('a malformed type');
  const id = value['id'];
  const info = value['type_info'];
  if (id === 'UNBOUND') {
    const name = isTree(info) ? info['name'] : undefined;
    if (!isTree(info) || typeof name !== 'string' || !TYPE_NAMES.has(name.toLowerCase()))
      refuse(`type ${String(name)}`);
    if (info['catalog'] !== '' || (info['schema'] !== '' && info['schema'] !== 'main'))
      refuse('a type of another schema');
    list((modifierOfType, place) => {
      if (isTree(modifierOfType)) expression(modifierOfType, place);
    })(info['user_type_modifiers'] ?? [], at);
    return;
  }
  if (typeof id !== 'string' || !TYPE_IDS.has(id)) refuse(`type ${String(id)}`);
  if (!isTree(info)) return;
  const inner = deeper(at);
  if (isTree(info['child_type'])) checkType(info['child_type'], inner);
  if (Array.isArray(info['child_types']))
    for (const child of info['child_types'])
      checkType(isTree(child) ? (child['second'] ?? child['value']) : child, inner);
};

/** The value itself is data; its type must be one that data can have. */
const constant: Check = (value, at) => {
  if (!isTree(value)) refuse('a malformed constant');
  checkType(value['type'], at);
};

const SUBQUERY: Check = (value, at) => {
  if (!isTree(value)) refuse('a malformed subquery');
  const parameters = value['named_param_map'];
  if (!Array.isArray(parameters) || parameters.length > 0) refuse('parameters');
  query(value['node'], at);
};

const OPERATORS = exactly(
  ...['OPERATOR_NOT', 'OPERATOR_IS_NULL', 'OPERATOR_IS_NOT_NULL', 'OPERATOR_COALESCE', 'OPERATOR_NULLIF'],
  ...['OPERATOR_TRY', 'COMPARE_IN', 'COMPARE_NOT_IN', 'ARRAY_EXTRACT', 'ARRAY_SLICE', 'STRUCT_EXTRACT'],
  'GROUPING_FUNCTION',
);
const COMPARISONS = exactly(
  ...['COMPARE_EQUAL', 'COMPARE_NOTEQUAL', 'COMPARE_LESSTHAN', 'COMPARE_GREATERTHAN'],
  ...['COMPARE_LESSTHANOREQUALTO', 'COMPARE_GREATERTHANOREQUALTO'],
  ...['COMPARE_DISTINCT_FROM', 'COMPARE_NOT_DISTINCT_FROM', 'INVALID'],
);

/** Words that the engine takes for a function of the session where no column has that name. */
const SESSION_WORDS: ReadonlySet<string> = new Set(
  'current_catalog current_role current_schema current_user session_user user'.split(' '),
);
const columnName: Check = (value) => {
  if (!Array.isArray(value)) refuse('a malformed column');
  const [first] = value;
  if (value.length === 1 && SESSION_WORDS.has(String(first).toLowerCase()))
    refuse(`the word ${String(first)}`);
};

const EXPRESSIONS: { readonly [kind: string]: Shape } = {
  COLUMN_REF: { ...BASE, type: exactly('COLUMN_REF'), column_names: columnName },
  CONSTANT: { ...BASE, type: exactly('VALUE_CONSTANT'), value: constant },
  CAST: { ...BASE, type: exactly('OPERATOR_CAST'), child: expression, cast_type: checkType, try_cast: any },
  CASE: {
    ...BASE,
    type: exactly('CASE_EXPR'),
    case_checks: list((value, at) => {
      if (!isTree(value)) refuse('a malformed CASE');
      checkShape(value, { when_expr: expression, then_expr: expression }, at);
    }),
    else_expr: optional(expression),
  },
  FUNCTION: { ...functionShape(scalarName), type: exactly('FUNCTION') },
  WINDOW: {
    ...FUNCTION_COMMON,
    function_name: scalarName,
    partitions: expressions,
    orders: list((value, at) => orderTerm(value, at)),
    start: any,
    end: any,
    start_expr: optional(expression),
    end_expr: optional(expression),
    offset_expr: optional(expression),
    default_expr: optional(expression),
    ignore_nulls: any,
    filter_expr: optional(expression),
    exclude_clause: any,
    arg_orders: list((value, at) => orderTerm(value, at)),
  },
  LAMBDA: {
    ...BASE,
    type: exactly('LAMBDA'),
    lhs: expression,
    expr: (value, at) => {
      at.walk.lambdas += 1;
      if (at.walk.lambdas > MAX_LAMBDAS) tooComplex(MAX_LAMBDAS, 'lambdas and arrows');
      expression(value, at);
    },
    syntax_type: any,
  },
  OPERATOR: { ...BASE, type: OPERATORS, children: list(expression, MAX_IN, 'values in a list') },
  COMPARISON: { ...PAIR, type: COMPARISONS },
  CONJUNCTION: { ...BASE, type: exactly('CONJUNCTION_AND', 'CONJUNCTION_OR'), children: expressions },
  BETWEEN: { ...BASE, type: any, input: expression, lower: expression, upper: expression },
  COLLATE: { ...BASE, type: any, child: expression, collation: exactly('nocase', 'binary', 'c', 'NOCASE') },
  SUBQUERY: {
    ...BASE,
    type: any,
    subquery_type: exactly('SCALAR', 'EXISTS', 'NOT_EXISTS', 'ANY'),
    subquery: SUBQUERY,
    child: optional(expression),
    children: expressions,
    comparison_type: COMPARISONS,
  },
  STAR: {
    ...BASE,
    type: any,
    relation_name: any,
    exclude_list: any,
    replace_list: empty,
    columns: no,
    expr: nothing,
    qualified_exclude_list: any,
    rename_list: empty,
  },
};

const orderTerm: Check = (value, at) => {
  if (!isTree(value)) refuse('a malformed ORDER BY');
  checkShape(value, { type: any, null_order: any, expression }, at);
};

const MODIFIERS: { readonly [kind: string]: Shape } = {
  ORDER_MODIFIER: { type: any, orders: list(orderTerm) },
  LIMIT_MODIFIER: { type: any, limit: optional(expression), offset: optional(expression) },
  DISTINCT_MODIFIER: { type: any, distinct_on_targets: expressions },
};

const SOURCE: Shape = { type: any, alias: any, sample: nothing, query_location: any, column_name_alias: any };

const SOURCES: { readonly [kind: string]: Shape } = {
  EMPTY: SOURCE,
  BASE_TABLE: {
    ...SOURCE,
    schema_name: exactly('', 'main'),
    catalog_name: exactly(''),
    // Seen by fromBaseTable, which needs the schema beside it.
    table_name: any,
    at_clause: nothing,
  },
  SUBQUERY: { ...SOURCE, subquery: SUBQUERY },
  TABLE_FUNCTION: {
    ...SOURCE,
    function: (value, at) => {
      if (!isTree(value) || value['class'] !== 'FUNCTION') refuse('a malformed table function');
      checkShape(value, functionShape(tableName), deeper(at));
    },
    with_ordinality: any,
  },
  EXPRESSION_LIST: { ...SOURCE, expected_names: any, expected_types: any, values: list(expressions, MAX_IN) },
  JOIN: {
    ...SOURCE,
    left: (value, at) => source(value, at),
    right: (value, at) => {
      at.walk.joins += 1;
      if (at.walk.joins > MAX_JOINS) tooComplex(MAX_JOINS, 'joins');
      source(value, at);
    },
    condition: optional(expression),
    join_type: exactly('INNER', 'LEFT', 'RIGHT', 'FULL', 'OUTER', 'SEMI', 'ANTI'),
    ref_type: exactly('REGULAR', 'CROSS', 'NATURAL', 'DEPENDENT'),
    using_columns: any,
    delim_flipped: no,
    duplicate_eliminated_columns: empty,
  },
};

const source: Check = (value, at) => {
  if (isTree(value) && value['type'] === 'BASE_TABLE') {
    const name = String(value['table_name']).toLowerCase();
    const isCommon = value['schema_name'] === '' && at.scope.has(name);
    if (!isCommon && !at.walk.tables.has(name)) refuse('a table that the statement does not name');
  }
  fromTable(value, at);
};

const NODE: Shape = { type: any, modifiers: list(modifier), cte_map: any };
const NODES: { readonly [kind: string]: Shape } = {
  SELECT_NODE: {
    ...NODE,
    select_list: list(expression, MAX_COLUMNS, 'columns'),
    from_table: optional(source),
    where_clause: optional(expression),
    group_expressions: expressions,
    group_sets: any,
    aggregate_handling: exactly('STANDARD_HANDLING'),
    having: optional(expression),
    sample: nothing,
    qualify: optional(expression),
  },
  SET_OPERATION_NODE: {
    ...NODE,
    setop_type: exactly('UNION', 'EXCEPT', 'INTERSECT'),
    left: (value, at) => queryInside(value, at),
    right: (value, at) => queryInside(value, at),
    children: list((value, at) => queryInside(value, at)),
    setop_all: any,
  },
  RECURSIVE_CTE_NODE: {
    ...NODE,
    cte_name: any,
    union_all: any,
    left: (value, at) => queryInside(value, at),
    right: (value, at) => queryInside(value, at),
    aliases: any,
    key_targets: empty,
  },
};
const queryNode = oneOf('type', () => NODES, 'query');

/** Adds the node's common tables to the scope one after the other: each sees those before it, a recursive one itself. */
function withCommonTables(node: Tree, at: Place): Place {
  const map = isTree(node['cte_map']) ? node['cte_map']['map'] : undefined;
  if (!Array.isArray(map)) refuse('a malformed WITH');
  const scope = new Set(at.scope);
  for (const entry of map) {
    if (!isTree(entry) || typeof entry['key'] !== 'string' || !isTree(entry['value']))
      refuse('a malformed WITH');
    const name = entry['key'].toLowerCase();
    const common = entry['value'];
    const isRecursive =
      isTree(common['query']) &&
      isTree(common['query']['node']) &&
      common['query']['node']['type'] === 'RECURSIVE_CTE_NODE';
    const inner = isRecursive ? new Set([...scope, name]) : new Set(scope);
    checkShape(
      common,
      {
        aliases: any,
        query: SUBQUERY,
        materialized: exactly('CTE_MATERIALIZE_DEFAULT', 'CTE_MATERIALIZE_ALWAYS', 'CTE_MATERIALIZE_NEVER'),
        key_targets: empty,
      },
      { ...deeper(at), scope: inner },
    );
    scope.add(name);
  }
  return { ...at, scope };
}

const queryInside: Check = (value, at) => {
  if (!isTree(value)) refuse('a malformed query');
  at.walk.selects += 1;
  if (at.walk.selects > MAX_SELECTS) tooComplex(MAX_SELECTS, 'SELECTs');
  queryNode(value, withCommonTables(value, at));
};
const query: Check = (value, at) => {
  if (at.selects >= MAX_SELECT_DEPTH) tooComplex(MAX_SELECT_DEPTH, 'SELECTs inside each other');
  queryInside(value, { ...at, selects: at.selects + 1 });
};

/**
 * @param tree what json_serialize_sql gives
 * @param tables lower-case names of the snapshot's tables that the plan reads
 * @param macros names of the session's own macros
 * @throws GatewayError unsupported or statement-too-complex
 */
export function checkTree(tree: unknown, tables: readonly string[], macros: readonly string[] = []): void {
  if (!isTree(tree) || tree['error'] !== false) refuse('a statement that is no SELECT');
  const statements = tree['statements'];
  if (!Array.isArray(statements) || statements.length !== 1) refuse('more or less than one statement');
  const walk: Walk = {
    tables: new Set(tables.map((name) => name.toLowerCase())),
    macros: new Set(macros),
    nodes: 0,
    joins: 0,
    lambdas: 0,
    selects: 0,
  };
  SUBQUERY(statements[0], { walk, scope: new Set(), depth: 0, selects: 0 });
}
