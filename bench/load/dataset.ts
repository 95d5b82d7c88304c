// The tables that the workloads ask about, as plain data that can be sent to the load generator's process.
import { ATTRIBUTES, benchDatabase, CHAIN_ID, FLIGHTS, RIGS } from '../data.ts';

export interface Table {
  readonly name: string;
  readonly rows: number;
}

export interface Dataset {
  /** The validator's SQLite database. Never written to: targets get copies. */
  readonly database: string;
  readonly chainId: number;
  /** id 1 .. rows (primary key), name, image, image_alpha, thumb, owner, minted_at. */
  readonly rigs: Table;
  /** rig_id, trait_type, value, display_type; ten a rig, one of them `Top Speed`. */
  readonly attributes: Table;
  /** id 1 .. rows (primary key), date, delay, distance, origin, destination. */
  readonly flights: Table;
}

/** @param flights fewer for quick runs. */
export async function prepareDataset(flights: number): Promise<Dataset> {
  const made = await benchDatabase(flights);
  return {
    database: made.path,
    chainId: CHAIN_ID,
    rigs: { name: RIGS, rows: made.rigs },
    attributes: { name: ATTRIBUTES, rows: made.attributes },
    flights: { name: FLIGHTS, rows: made.flights },
  };
}
