// Makes data/samples/ anew: node --import tsx data/make-samples.ts. The validator's own program makes the schema
// of its database; the rows come from bench/data.ts and, for the flights, from npm vega-datasets.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { CHAIN_ID, FLIGHTS, fillRigs, RIGS } from '../bench/data.ts';
import { createValidatorDatabase } from '../bench/validator-database.ts';

const SAMPLES = join(import.meta.dirname, 'samples');
const RIG_COUNT = 300;
const ATTRIBUTES_OF_A_RIG = 8;
/** Every 60th of the three million, so that the slice covers all of its half year. */
const EVERY = 60;

const database = join(SAMPLES, 'validator.db');
rmSync(database, { force: true });
await createValidatorDatabase(database, (db) => {
  fillRigs(db, RIG_COUNT, ATTRIBUTES_OF_A_RIG);
  // The validator draws an identity at its first start: nothing for a sample that is the same for everybody.
  db.exec('delete from system_id');
  db.exec(`insert into system_txn_processor values (${CHAIN_ID}, 4242)`);
  const [, , id] = RIGS.split('_');
  db.exec(
    `insert into system_txn_receipts (chain_id, block_number, index_in_block, txn_hash, error, table_id, error_event_idx, table_ids)
     values (${CHAIN_ID}, 4242, 0, '0x${'5a'.repeat(32)}', null, ${id}, null, '${id}')`,
  );
});

const parquet = join(SAMPLES, `${FLIGHTS}.parquet`);
const build = dirname(createRequire(import.meta.url).resolve('vega-datasets'));
const flights = join(build, '../data/flights-3m.parquet');
const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
const connection = await instance.connect();
await connection.run(
  `copy (
     select row_number() over () as id, strftime(date, '%Y-%m-%d %H:%M') as date, delay::integer as delay,
       distance::integer as distance, origin, destination
     from (select *, row_number() over () as n from '${flights.replaceAll("'", "''")}') where n % ${EVERY} = 1
   ) to '${parquet.replaceAll("'", "''")}' (format parquet, compression zstd)`,
);
connection.closeSync();
instance.closeSync();
