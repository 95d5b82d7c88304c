// What the compiler is told of the rigs' tables in the micro benchmarks.
import type { Schema, SchemaColumn, SchemaTable } from '../../src/dialect/schema.ts';
import { createPlanner } from '../../src/snapshot/planner.ts';

function table(
  name: string,
  rowid: string,
  columns: Readonly<Record<string, 'integer' | 'text'>>,
): SchemaTable {
  return {
    name,
    columns: Object.entries(columns).map(
      ([column, kind]): SchemaColumn => ({
        name: column,
        kind,
        affinity: kind,
        notNull: column === rowid,
        collation: 'binary',
      }),
    ),
    rowid,
    rows: 30_000,
    unique: [[rowid]],
    columnar: true,
    version: 'bench',
    create: [
      `CREATE TABLE ${name} (${Object.entries(columns)
        .map(([column, kind]) => `${column} ${kind}${column === rowid ? ' primary key' : ''}`)
        .join(', ')}) STRICT`,
    ],
  };
}

export const schema: Schema = {
  tables: new Map(
    [
      table('rigs_31337_2', 'id', {
        id: 'integer',
        name: 'text',
        image: 'text',
        owner: 'text',
        minted_at: 'integer',
      }),
      table('rig_attributes_31337_3', '_rowid', { rig_id: 'integer', trait_type: 'text', value: 'text' }),
    ].map((one) => [one.name, one]),
  ),
  blocks: new Map(),
  planner: createPlanner(),
};
