// Registers the dialect's functions in JavaScript with the engine: reads a chunk's arguments, calls the rule
// row by row, writes the results. The engine's threads wait for this worker's thread meanwhile.
import duckdb, {
  type DataChunk,
  type LogicalType,
  type ScalarFunction,
  type ScalarFunctionInfo,
  type Vector,
} from '@duckdb/node-bindings';
import { ERROR_MARK } from '../dialect/functions/engine-functions.ts';
import type { EngineFunction } from '../dialect/functions/runtime/engine-function.ts';
import type { SqlValue } from '../dialect/functions/runtime/number-text.ts';
import { type ColumnData, isNull, wholeInteger } from '../encode/column-data.ts';
import { chunkRows, readColumns } from './chunk.ts';

type Kind = EngineFunction['returns'];

const TYPE = {
  integer: duckdb.Type.BIGINT,
  real: duckdb.Type.DOUBLE,
  text: duckdb.Type.VARCHAR,
  blob: duckdb.Type.BLOB,
  boolean: duckdb.Type.BOOLEAN,
} as const;
/** In the order of value.ts's ANY_TYPE. */
const MEMBERS = ['integer', 'real', 'text', 'blob'] as const;
const MEMBER_NAMES = ['i', 'r', 't', 'b'] as const;

function typeOf(kind: Kind): LogicalType {
  return kind === 'any'
    ? duckdb.create_union_type(
        MEMBERS.map((member) => duckdb.create_logical_type(TYPE[member])),
        MEMBER_NAMES,
      )
    : duckdb.create_logical_type(TYPE[kind]);
}

/**
 * @param register makes the function known to an instance, whose every connection sees it then
 * @param stopping asked now and then while a function goes through its rows: then it fails
 */
export function registerFunctions(
  register: (native: ScalarFunction) => void,
  functions: readonly EngineFunction[],
  stopping: () => boolean = () => false,
): void {
  for (const rule of functions) {
    const native = duckdb.create_scalar_function();
    duckdb.scalar_function_set_name(native, rule.name);
    for (const kind of rule.args) duckdb.scalar_function_add_parameter(native, typeOf(kind));
    if (rule.rest !== undefined) duckdb.scalar_function_set_varargs(native, typeOf(rule.rest));
    duckdb.scalar_function_set_return_type(native, typeOf(rule.returns));
    // NULLs are looked at here, row by row.
    duckdb.scalar_function_set_special_handling(native);
    duckdb.scalar_function_set_function(native, (info, input, output) =>
      call(rule, info, input, output, stopping),
    );
    register(native);
    duckdb.destroy_scalar_function_sync(native);
  }
}

/** Characters or bytes that a function may give for one chunk of rows: they lie in memory that no limit sees. */
const MAX_CHUNK = 256 * 1024 * 1024;

/** Rows between two looks at whether to go on. */
const LOOK_ROWS = 64;

function call(
  rule: EngineFunction,
  info: ScalarFunctionInfo,
  input: DataChunk,
  output: Vector,
  stopping: () => boolean,
): void {
  try {
    const rows = chunkRows(input);
    const width = duckdb.data_chunk_get_column_count(input);
    const kinds = Array.from({ length: width }, (_, i) => rule.args[i] ?? rule.rest ?? 'any');
    const columns = readColumns(input, kinds);
    const run = rule.run as unknown as (...args: SqlValue[]) => SqlValue | boolean;
    const values: (SqlValue | boolean)[] = new Array(rows);
    let size = 0;
    for (let row = 0; row < rows; row++) {
      if (row % LOOK_ROWS === 0 && stopping()) throw new Error('stopped');
      const args = columns.map((column) => valueAt(column, row));
      const value = !rule.takesNull && args.includes(null) ? null : run(...args);
      values[row] = value;
      if (typeof value !== 'string' && !(value instanceof Uint8Array)) continue;
      size += value.length;
      if (size > MAX_CHUNK) throw new RangeError('string or blob too big');
    }
    write(output, rule.returns, values);
  } catch (error) {
    // Only the text crosses the engine.
    duckdb.scalar_function_set_error(
      info,
      ERROR_MARK + (error instanceof Error ? error.message : String(error)),
    );
  }
}

// A BOM is a character like others.
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function valueAt(column: ColumnData, row: number): SqlValue {
  if (isNull(column.validity, row)) return null;
  switch (column.kind) {
    case 'integer':
      return wholeInteger(column.halves[row * 2] as number, column.halves[row * 2 + 1] as number);
    case 'real':
      return column.values[row] as number;
    case 'text':
      return utf8.decode(bytesAt(column.texts, row));
    case 'blob':
      // A copy: the rule may keep it.
      return bytesAt(column.texts, row).slice();
    case 'any':
      return valueAt(column.members[column.tags[row] as number] as ColumnData, row);
  }
}

function bytesAt(texts: Extract<ColumnData, { kind: 'text' | 'blob' }>['texts'], row: number): Uint8Array {
  const start = texts.starts[row] as number;
  return texts.bytes.subarray(start, start + (texts.lengths[row] as number));
}

function write(output: Vector, kind: Kind, values: readonly (SqlValue | boolean)[]): void {
  if (kind === 'any') {
    writeUnion(output, values);
    return;
  }
  const rows = values.length;
  if (values.includes(null)) writeNulls(output, (row) => values[row] === null, rows);
  switch (kind) {
    case 'integer': {
      const from = new BigInt64Array(rows);
      values.forEach((value, row) => {
        if (value !== null) from[row] = BigInt(value as bigint);
      });
      duckdb.copy_data_to_vector(output, 0, from.buffer, 0, from.byteLength);
      return;
    }
    case 'real': {
      const from = new Float64Array(rows);
      values.forEach((value, row) => {
        if (value !== null) from[row] = Number(value);
      });
      duckdb.copy_data_to_vector(output, 0, from.buffer, 0, from.byteLength);
      return;
    }
    case 'boolean': {
      copyBytes(
        output,
        Uint8Array.from(values, (value) => (value === true || value === 1n ? 1 : 0)),
      );
      return;
    }
    case 'text':
    case 'blob':
      values.forEach((value, row) => {
        if (value !== null) assign(output, row, value);
      });
  }
}

/** What vector_get_data gives is a copy: writing to it reaches nobody. */
function copyBytes(output: Vector, bytes: Uint8Array<ArrayBuffer>): void {
  duckdb.copy_data_to_vector(output, 0, bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function assign(output: Vector, row: number, value: SqlValue | boolean): void {
  if (typeof value === 'string')
    duckdb.vector_assign_string_element_len(output, row, Buffer.from(value, 'utf8'));
  else duckdb.vector_assign_string_element_len(output, row, value as Uint8Array);
}

function writeNulls(vector: Vector, isNullAt: (row: number) => boolean, rows: number): void {
  const validity = new Uint8Array(Math.ceil(rows / 64) * 8).fill(0xff);
  for (let row = 0; row < rows; row++)
    if (isNullAt(row)) validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7));
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, validity.byteLength);
}

/** -1: NULL. */
function memberOf(value: SqlValue | boolean): number {
  switch (typeof value) {
    case 'bigint':
    case 'boolean':
      return 0;
    case 'number':
      return 1;
    case 'string':
      return 2;
    default:
      return value === null ? -1 : 3;
  }
}

/** A union is a struct of its tag and its members, of which all but one are NULL. */
function writeUnion(output: Vector, values: readonly (SqlValue | boolean)[]): void {
  const rows = values.length;
  const members = values.map(memberOf);
  const tagVector = duckdb.struct_vector_get_child(output, 0);
  copyBytes(
    tagVector,
    Uint8Array.from(members, (member) => Math.max(member, 0)),
  );
  if (members.includes(-1)) {
    writeNulls(output, (row) => members[row] === -1, rows);
    writeNulls(tagVector, (row) => members[row] === -1, rows);
  }
  MEMBERS.forEach((kind, index) => {
    const child = duckdb.struct_vector_get_child(output, index + 1);
    const own = values.map((value, row) => (members[row] === index ? value : null));
    write(child, kind, own);
  });
}
