// A workload of the user's own, for gateways that serve other tables than the bench's: statements with weights, or the
// requests of an access log, over and over.
import { readFileSync } from 'node:fs';
import { createRandom, wholeBetween } from '../random.ts';
import { ask, firstBound, type Slice, type Variant, type Workload } from './workload.ts';

export interface OwnStatement {
  /** `{int:1:3000}` becomes a whole number between the two, `{new}` a number that was never used before. */
  readonly text: string;
  /** How often it is asked beside the others. */
  readonly weight: number;
}

export interface Own {
  readonly statements: readonly OwnStatement[];
  /** Of a log: paths below the base path, in their order; they take the place of the statements. */
  readonly paths?: readonly string[];
  /** How many gateways are asked: two are measured side by side. */
  readonly gateways?: 1 | 2;
}

export function customWorkload(own: string | Own, connections: readonly number[] = [1, 16, 64]): Workload {
  const { statements, paths, gateways = 1 } = typeof own === 'string' ? onlyOne(own) : own;
  const total = statements.reduce((sum, { weight }) => sum + weight, 0);
  return {
    name: 'custom',
    title: paths === undefined ? 'statements of your own' : 'requests of your log',
    about:
      paths === undefined
        ? statements
            .map(({ text, weight }) =>
              statements.length === 1 ? text : `${Math.round((weight / total) * 100)} %: ${text}`,
            )
            .join('; ')
        : `${paths.length} requests of an access log, in their order`,
    targets: gateways === 2 ? ['url', 'url2'] : ['url'],
    variants: () => [
      ...connections.map(
        (count): Variant => ({ name: `closed ${count}`, load: { mode: 'closed', connections: count } }),
      ),
      { name: 'open', load: { mode: 'open', connections: 64, rate: { share: 0.5, of: 'url' } } },
    ],
    goals: [],
    checks: 0,
    first: (slice) =>
      paths === undefined
        ? statements.map(({ text }) => asksOf([{ text, weight: 1 }], 1, slice)())
        : [...new Set(paths)].slice(0, MOST_FIRST).map((path) => ({ path, statement: '', proof: [] })),
    ...(paths === undefined ? {} : { repeats: true }),
    asks: (_, slice) => (paths === undefined ? asksOf(statements, total, slice) : replayOf(paths)),
  };
}

/** Requests of a log that are asked before the load. */
const MOST_FIRST = 8;

const onlyOne = (text: string): Own => ({ statements: [{ text, weight: 1 }] });

function asksOf(
  statements: readonly OwnStatement[],
  total: number,
  slice: Slice,
): () => ReturnType<typeof ask> {
  const random = createRandom(slice.seed + slice.index);
  let bound = firstBound(slice);
  return () => {
    let place = statements.length === 1 ? 0 : (wholeBetween(random, 0, 999_999) / 1e6) * total;
    const chosen = statements.find(({ weight }) => {
      place -= weight;
      return place < 0;
    });
    return ask(
      (chosen ?? statements[0])!.text
        .replaceAll(/\{int:(\d+):(\d+)\}/g, (_match, min, max) =>
          String(wholeBetween(random, Number(min), Number(max))),
        )
        .replaceAll('{new}', () => String(bound++)),
    );
  };
}

function replayOf(paths: readonly string[]): () => ReturnType<typeof ask> {
  let at = 0;
  return () => ({ path: paths[at++ % paths.length]!, statement: '', proof: [] });
}

/** More is not held in memory by every process of the bench. */
const MAX_REQUESTS = 200_000;

const LOGGED = /"GET (?:https?:\/\/[^/\s"]+)?(\/[!#-~]*) HTTP\/[\d.]+" (\d{3})\b/;
const BARE = /^(?:https?:\/\/[^/\s]+)?(\/[!-~]*)$/;

export interface AccessLog {
  readonly paths: readonly string[];
  /** Lines that are not replayed: other requests than reads of the API, errors, and what is no JSON. */
  readonly left: number;
}

/**
 * Reads what nginx, Apache and others write: a line has `"GET /api/v1/query?statement=... HTTP/1.1" 200`, or the address
 * alone.
 * @throws Error where nothing in it can be replayed
 */
export function readAccessLog(file: string): AccessLog {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const paths: string[] = [];
  for (const line of lines) {
    const found = LOGGED.exec(line) ?? BARE.exec(line);
    const path = /\/(?:query\?|tables(?=[/?]|$)|receipt\/).*$/.exec(found?.[1] ?? '')?.[0];
    const isFile = /[?&]format=(?:csv|ndjson|arrow|parquet)\b|\.(?:svg|html)(?:$|\?)/.test(path ?? '');
    if (path === undefined || isFile || (found?.[2] ?? '200') !== '200') continue;
    if (paths.length < MAX_REQUESTS) paths.push(path);
  }
  if (paths.length === 0)
    throw new Error(`${file}: no line of it is a GET of /query or /tables that was answered with 200`);
  return { paths, left: lines.length - paths.length };
}
