// Registers the dialect's functions in JavaScript with a session's connection. The engine calls them on this
// thread while its own waits, so statements must be run by the asynchronous calls only.
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBType,
  DuckDBUnionValue,
  type DuckDBValue,
  type DuckDBVector,
  UNION,
  VARCHAR,
} from '@duckdb/node-api';
import { ENGINE_FUNCTIONS, ERROR_MARK } from '../dialect/functions/engine-functions.ts';
import type { EngineFunction } from '../dialect/functions/runtime/engine-function.ts';
import type { SqlValue } from '../dialect/functions/runtime/number-text.ts';
import { GatewayError } from '../errors.ts';

type Kind = EngineFunction['returns'];

const ANY = UNION({ i: BIGINT, r: DOUBLE, t: VARCHAR, b: BLOB });
const TYPES: Readonly<Record<Kind, DuckDBType>> = {
  integer: BIGINT,
  real: DOUBLE,
  text: VARCHAR,
  blob: BLOB,
  any: ANY,
  boolean: BOOLEAN,
};

function fromEngine(value: DuckDBValue): SqlValue {
  if (value instanceof DuckDBUnionValue) return fromEngine(value.value);
  if (value instanceof DuckDBBlobValue) return value.bytes;
  return value as SqlValue;
}

const asIs = (value: SqlValue | boolean): DuckDBValue => value as DuckDBValue;
const blob = (value: SqlValue | boolean): DuckDBValue =>
  value === null ? null : new DuckDBBlobValue(value as Uint8Array);

function union(value: SqlValue | boolean): DuckDBValue {
  switch (typeof value) {
    case 'bigint':
      return new DuckDBUnionValue('i', value);
    case 'number':
      return new DuckDBUnionValue('r', value);
    case 'string':
      return new DuckDBUnionValue('t', value);
    default:
      return value === null ? null : new DuckDBUnionValue('b', blob(value));
  }
}

const TO_ENGINE: Readonly<Record<Kind, (value: SqlValue | boolean) => DuckDBValue>> = {
  integer: asIs,
  real: asIs,
  text: asIs,
  boolean: asIs,
  blob,
  any: union,
};

/** Register before the session's configuration is locked or after: both work. */
export function registerFunctions(connection: DuckDBConnection): void {
  for (const definition of ENGINE_FUNCTIONS) connection.registerScalarFunction(scalar(definition));
}

interface Validity {
  setItemValid(index: number, valid: boolean): void;
}

/** A union's setItem(null) nulls its members only, not the union: IS NULL would be false. */
function validityOf(output: DuckDBVector): Validity {
  const { structVector } = output as unknown as { readonly structVector: { readonly validity: Validity } };
  return structVector.validity;
}

function scalar(definition: EngineFunction): DuckDBScalarFunction {
  const { name, takesNull } = definition;
  const run = definition.run as (...args: SqlValue[]) => SqlValue | boolean;
  const toEngine = TO_ENGINE[definition.returns];
  const returnsAny = definition.returns === 'any';
  return DuckDBScalarFunction.create({
    name,
    returnType: TYPES[definition.returns],
    parameterTypes: definition.args.map((kind) => TYPES[kind]),
    ...(definition.rest === undefined ? {} : { varArgsType: TYPES[definition.rest] }),
    // The engine's own way with NULLs looks at constants only where a column is not constant.
    specialHandling: true,
    mainFunction(info, input, output) {
      const columns = Array.from({ length: input.columnCount }, (_, i) => input.getColumnVector(i));
      const nulls = returnsAny ? validityOf(output) : undefined;
      try {
        for (let row = 0; row < input.rowCount; row++) {
          const args = columns.map((column) => fromEngine(column.getItem(row)));
          const skip = !takesNull && args.includes(null);
          const result = skip ? null : toEngine(run(...args));
          output.setItem(row, result);
          if (result === null) nulls?.setItemValid(row, false);
        }
        output.flush();
      } catch (error) {
        // Anything but a GatewayError is a bug: without the mark the worker reports it as one.
        info.setError(error instanceof GatewayError ? ERROR_MARK + error.message : String(error));
      }
    },
  });
}
