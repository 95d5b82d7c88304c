// When each table of a snapshot changed last.
import { asciiLower } from '../base/ascii-lower.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import { readManifest } from './manifest.ts';

/**
 * @returns lower-case name -> id of the snapshot in which it changed last
 * @throws Error in words for an operator, to follow the path of the snapshot
 */
export async function tableVersions({ path }: SnapshotRef): Promise<ReadonlyMap<string, string>> {
  const { versions } = await readManifest(path);
  return new Map(Object.entries(versions).map(([table, version]) => [asciiLower(table), version]));
}
