// Which fields the objects of a JSON file have, by their own names: the engine's reader gives a field another name where
// two differ by case only or one has none, and then finds no value for it.
import { createInterface } from 'node:readline';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ImportError } from './failure.ts';
import { fileBytes } from './file-bytes.ts';
import { foldName, quoteName } from './sqlite-tables.ts';

/** Of an object, for the order of fields; more of them are refused by the engine. */
const MOST_FIELDS = 65_536;

const MOST_OBJECT_BYTES = 256 * 1024 * 1024;

/**
 * @param memoryBytes of the engine
 * @param file as the engine takes it
 * @returns a relation with a column of JSON for each field, in the order in which they appear
 * @throws ImportError where a field cannot be a column
 */
export async function readJsonShape(
  connection: DuckDBConnection,
  source: string,
  file: string,
  format: 'json' | 'ndjson',
  memoryBytes: number,
): Promise<string> {
  // It allocates several of the largest object at once, whatever is in the file.
  const largest = Math.floor(Math.min(MOST_OBJECT_BYTES, memoryBytes / 8));
  const options = `format='${format === 'json' ? 'array' : 'newline_delimited'}', maximum_object_size=${largest}`;
  const found = await connection.runAndReadAll(
    `SELECT k, min(p) FROM (
       SELECT unnest(keys) AS k, r * ${MOST_FIELDS} + generate_subscripts(keys, 1) AS p FROM (
         SELECT json_keys(json) AS keys, row_number() OVER () AS r FROM read_json_objects(${file}, ${options})))
     GROUP BY k ORDER BY 2`,
  );
  const names = found.getRows().map(([name]) => String(name));
  if (names.length === 0) throw new ImportError(`${source} has no object with a field`);
  const seen = new Map<string, string>();
  for (const name of names) {
    const other = seen.get(foldName(name));
    if (name === '') throw new ImportError(`${source} has a field without a name`);
    if (other !== undefined)
      throw new ImportError(
        `${source} has the fields ${JSON.stringify(other)} and ${JSON.stringify(name)}, which are one column in SQL; rename one`,
      );
    seen.set(foldName(name), name);
  }
  const columns = names.map((name) => `${quoteName(name)}: 'JSON'`);
  return `read_json(${file}, ${options}, records=true, columns={${columns.join(', ')}})`;
}

/** The first line that is no JSON object, since the engine's own count of lines is off. */
export async function faultyLine(source: string): Promise<string | undefined> {
  const { bytes: input, file } = fileBytes(source);
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() !== '' && !isObject(line)) return `line ${number} is no JSON object`;
    }
  } catch {
    return undefined;
  } finally {
    file.destroy();
  }
  return undefined;
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
