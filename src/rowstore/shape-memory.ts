// What a process knows of the shapes that it is asked, from one snapshot to the next: where data change twice a second, all
// of it would be found out again twice a second.
import { type Cache, createShapeCache, createSightings, type Sightings } from '../base/cache.ts';
import type { RowStatement } from '../dialect/row-statement.ts';
import { type Catalogue, createDescriptions, type Descriptions } from './catalogue.ts';

export interface ShapeMemory {
  /** Which shapes are asked again and again. */
  readonly sightings: Sightings;
  /** Those of which no literal is a name. */
  readonly statements: Cache<RowStatement>;
  readonly descriptions: Descriptions;
}

/** @param shapes that are remembered */
export function createShapeMemory(shapes: number): ShapeMemory {
  return {
    sightings: createSightings(shapes),
    statements: createShapeCache<RowStatement>(shapes),
    descriptions: createDescriptions(),
  };
}

/** Whether a snapshot has all tables of the statement, with the columns that it was made for. */
export function isOf({ described }: RowStatement, { tables, describe }: Catalogue): boolean {
  for (const [table, columns] of described)
    if (!tables.has(table) || describe(table) !== columns) return false;
  return true;
}
