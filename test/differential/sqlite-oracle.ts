// SQLite itself over the nasty database, for what the reference's parser refuses and for telling its
// half answers from whole ones. It writes rows as the reference would; it is a newer SQLite than the
// reference's (3.5x for 3.39), so only what did not change may be asked of it.
import { DatabaseSync } from '@photostructure/sqlite';
import type { CaseRequest } from './case.ts';
import type { Reply } from './compare.ts';

export interface Oracle {
  /** The statement's rows as `format=objects`; status 400 where SQLite refuses, 500 where it fails on the way. */
  answer(request: CaseRequest): Reply;
  close(): void;
}

export function sqliteOracle(databasePath: string): Oracle {
  const database = new DatabaseSync(databasePath, { readOnly: true });
  return {
    answer: (request) => answer(database, request),
    close: () => database.close(),
  };
}

type Value = null | bigint | number | string | Uint8Array;

function answer(database: InstanceType<typeof DatabaseSync>, request: CaseRequest): Reply {
  const reply = (status: number, body: string): Reply => ({ status, type: 'application/json', body });
  let prepared: ReturnType<typeof database.prepare>;
  try {
    prepared = database.prepare(request.statement ?? '');
    prepared.setReadBigInts(true);
  } catch (error) {
    return reply(400, String(error));
  }
  try {
    const rows = prepared.all(...(request.params ?? []).map(bound)) as Record<string, Value>[];
    const bodies = rows.map(
      (row) =>
        `{${Object.entries(row)
          .map(([name, value]) => `${JSON.stringify(name)}:${cell(value)}`)
          .join(',')}}`,
    );
    return reply(200, `[${bodies.join(',')}]`);
  } catch (error) {
    return reply(500, String(error));
  }
}

function bound(param: string): bigint | string | null {
  if (param === 'null') return null;
  if (/^-?\d+$/.test(param)) return BigInt(param);
  return param.slice(1, -1).replaceAll("''", "'");
}

function cell(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value !== 'string') return JSON.stringify(Buffer.from(value).toString('base64'));
  if (/^ *[[{]/.test(value)) {
    try {
      JSON.parse(value);
      return value;
    } catch {
      // Not JSON after all: a text.
    }
  }
  return JSON.stringify(value);
}
