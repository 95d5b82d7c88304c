// The benchmarks' database: a real validator's (its own schema, made by itself) with 3 M flights, 3,000 rigs and
// their 30,000 attributes, and a few small tables. Made once and kept, since making it takes longer than most benchmarks.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { fillSmallTables } from './small-tables.ts';
import { createTable, createValidatorDatabase } from './validator-database.ts';

export interface BenchDatabase {
  /** SQLite in the validator's schema. Copy it before anything writes to it. */
  readonly path: string;
  readonly flights: number;
  readonly rigs: number;
  readonly attributes: number;
}

export const CHAIN_ID = 31337;
export const RIGS = `rigs_${CHAIN_ID}_2`;
export const ATTRIBUTES = `rig_attributes_${CHAIN_ID}_3`;
export const FLIGHTS = `flights_${CHAIN_ID}_4`;

const RIG_COUNT = 3_000;
const ATTRIBUTES_OF_A_RIG = 10;
const VERSION = 2;

/** Where the database is kept between runs. */
export function benchFolder(): string {
  return process.env['BENCH_DATA'] ?? join(tmpdir(), 'tablegate-bench');
}

/** Gives the database, making it (20 s) where there is none yet; fewer flights for a quick run. */
export async function benchDatabase(flights = 3_000_000): Promise<BenchDatabase> {
  const path = join(benchFolder(), `validator-v${VERSION}-${flights}.db`);
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    const building = `${path}.building-${process.pid}`;
    try {
      await createValidatorDatabase(building, async (database) => {
        fillRigs(database, RIG_COUNT, ATTRIBUTES_OF_A_RIG);
        fillSmallTables(database);
        await fillFlights(database, flights);
      });
      renameSync(building, path);
    } finally {
      rmSync(building, { force: true });
    }
  }
  return { path, flights, rigs: RIG_COUNT, attributes: RIG_COUNT * ATTRIBUTES_OF_A_RIG };
}

const TRAITS: readonly (readonly [string, readonly string[]])[] = [
  ['Fleet', ['Titans', 'Foils', 'Edge', 'Airelights', 'Tracer', 'Quake']],
  ['Chassis', ['Dunes', 'Prowler', 'Zeus', 'Falcon', 'Standard', 'Heavy']],
  ['Cab', ['Brawler', 'Stealth', 'Glider', 'Orbit', 'Comet', 'Drifter']],
  ['Engine', ['Plasma', 'Fusion', 'Turbine', 'Ion', 'Diesel']],
  ['Color', ['Red', 'Moss', 'Sand', 'Night', 'Ivory', 'Cobalt', 'Rust']],
  ['Hood Ornament', ['None', 'Eagle', 'Skull', 'Bolt']],
  ['Wheels', ['Six', 'Eight', 'Tracks', 'Hover']],
  ['Backdrop', ['Dusk', 'Dawn', 'Storm', 'Clear']],
];

/** Deterministic: the same numbers on every machine (a linear congruential generator, Numerical Recipes). */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An NFT collection in the form of Tableland's ERC-721 example: tokens, and one row an attribute. */
export function fillRigs(database: DatabaseSyncInstance, rigs: number, attributesOfARig: number): void {
  createTable(database, {
    name: RIGS,
    columns:
      'id integer primary key, name text not null, image text not null, image_alpha text, ' +
      'thumb text, owner text not null, minted_at integer not null',
    createdAt: 1_667_000_000,
  });
  createTable(database, {
    name: ATTRIBUTES,
    columns:
      'rig_id integer not null, trait_type text not null, value text not null, display_type text, ' +
      'unique(rig_id, trait_type)',
    createdAt: 1_667_000_060,
  });
  const rig = database.prepare(`insert into ${RIGS} values (?,?,?,?,?,?,?)`);
  const attribute = database.prepare(`insert into ${ATTRIBUTES} values (?,?,?,?)`);
  const next = generator(7);
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => next(16).toString(16)).join('');
  for (let id = 1; id <= rigs; id++) {
    const folder = `ipfs://bafybeif${hex(16)}/${id}`;
    rig.run(
      id,
      `Rig #${id}`,
      `${folder}/image.png`,
      id % 3 === 0 ? null : `${folder}/alpha.png`,
      `${folder}/thumb.png`,
      `0x${hex(40)}`,
      1_667_000_000 + id * 311,
    );
    for (let at = 0; at < attributesOfARig - 2; at++) {
      const [trait, values] = TRAITS[at % TRAITS.length] ?? ['', ['']];
      const name = at < TRAITS.length ? trait : `${trait} ${Math.floor(at / TRAITS.length) + 1}`;
      attribute.run(id, name, values[next(values.length)] ?? '', null);
    }
    attribute.run(id, 'Top Speed', String(40 + next(260)), 'number');
    attribute.run(id, '% Original', String(next(101)), 'boost_percentage');
  }
}

/** Real flights of 2001 from npm vega-datasets, repeated where more are asked for than it has. */
async function fillFlights(database: DatabaseSyncInstance, count: number): Promise<void> {
  createTable(database, {
    name: FLIGHTS,
    columns:
      'id integer primary key, date text, delay integer, distance integer, origin text, destination text',
    createdAt: 1_667_000_120,
  });
  const build = dirname(createRequire(import.meta.url).resolve('vega-datasets'));
  const file = join(build, '../data/flights-3m.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const insert = database.prepare(`insert into ${FLIGHTS} values (?,?,?,?,?,?)`);
  try {
    let id = 0;
    while (id < count) {
      const before = id;
      const result = await connection.stream(
        `select strftime(date, '%Y-%m-%d %H:%M:%S'), delay, distance, origin, destination from '${file.replaceAll("'", "''")}' limit ${count - id}`,
      );
      for await (const rows of result.yieldRows()) {
        for (const row of rows) {
          id++;
          insert.run(id, ...(row as (string | bigint | null)[]));
        }
      }
      if (id === before) throw new Error('no flights in the package');
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

if (process.argv[1] === import.meta.filename) {
  const started = performance.now();
  const made = await benchDatabase(process.argv[2] === undefined ? undefined : Number(process.argv[2]));
  process.stdout.write(`${JSON.stringify({ ...made, seconds: (performance.now() - started) / 1000 })}\n`);
}
