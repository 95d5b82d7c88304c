// The header that says which data an answer is made of: `Tablegate-Snapshot: 000012-3f9a1c; age=3;
// blocks="1:19000000 137:52000000"` (age in seconds; RFC 8941, a token with parameters).
import type { Serving } from './serving.ts';

export type SnapshotHeaders = (snapshotId: string) => readonly string[];

const NAME = 'Tablegate-Snapshot';

/**
 * @param known of a snapshot that is or was served; undefined of another
 * @param nowMs since 1970
 */
export function createSnapshotHeaders(
  known: (snapshotId: string) => Serving | undefined,
  nowMs: () => number,
): SnapshotHeaders {
  // Most requests of a moment are of one snapshot and ask in the same second.
  let kept: readonly string[] = [];
  let keptId = '';
  let keptSecond = -1;
  return (snapshotId) => {
    const second = Math.floor(nowMs() / 1000);
    if (snapshotId === keptId && second === keptSecond) return kept;
    const serving = known(snapshotId);
    keptId = snapshotId;
    keptSecond = second;
    kept = [NAME, serving === undefined ? snapshotId : snapshotHeader(serving, second)];
    return kept;
  };
}

function snapshotHeader({ snapshotId, blocks, createdMs }: Serving, second: number): string {
  const age = Math.max(0, second - Math.floor(createdMs / 1000));
  const numbers = blocks.map(([chain, block]) => `${chain}:${block}`).join(' ');
  return `${snapshotId}; age=${age}${numbers === '' ? '' : `; blocks="${numbers}"`}`;
}
