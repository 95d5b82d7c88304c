// When each table of a snapshot changed last.
import { asciiLower } from '../base/ascii-lower.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { type Manifest, readManifest } from './manifest.ts';

/** Lower-case name -> id of the snapshot in which it changed last. */
export type TableVersions = ReadonlyMap<string, string>;

export function versionsOf({ versions }: Pick<Manifest, 'versions'>): TableVersions {
  return new Map(Object.entries(versions).map(([table, version]) => [asciiLower(table), version]));
}

/** The same of a snapshot. @throws Error in words for an operator, to follow the path of the snapshot */
export async function tableVersions({ path }: SnapshotRef): Promise<TableVersions> {
  return versionsOf(await readManifest(path));
}
