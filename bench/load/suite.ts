// All workloads in the order in which they are run and shown.

import type { Workload } from './workload.ts';
import { aggregate } from './workloads/aggregate.ts';
import { besideAttacks } from './workloads/beside-attacks.ts';
import { besideScans } from './workloads/beside-scans.ts';
import { byKey } from './workloads/by-key.ts';
import { hot } from './workloads/hot.ts';
import { joinLookup } from './workloads/join-lookup.ts';
import { large } from './workloads/large.ts';
import { lookup } from './workloads/lookup.ts';
import { metadata } from './workloads/metadata.ts';
import { mixed } from './workloads/mixed.ts';
import { neverSeen } from './workloads/never-seen.ts';
import { nftMetadata } from './workloads/nft-metadata.ts';
import { overload } from './workloads/overload.ts';
import { page } from './workloads/page.ts';
import { risingLoad } from './workloads/rising-load.ts';
import { slowReader } from './workloads/slow-reader.ts';
import { smallJoins } from './workloads/small-joins.ts';
import { wholeTable } from './workloads/whole-table.ts';

export const SUITE: readonly Workload[] = [
  mixed,
  neverSeen,
  smallJoins,
  nftMetadata,
  hot,
  metadata,
  lookup,
  byKey,
  joinLookup,
  page,
  aggregate,
  large,
  wholeTable,
  slowReader,
  besideScans,
  besideAttacks,
  overload,
  risingLoad,
];

/** @throws Error where there is none of that name. */
export function workloadNamed(name: string): Workload {
  const found = SUITE.find((workload) => workload.name === name);
  if (found === undefined)
    throw new Error(`no workload ${name}; there are ${SUITE.map((workload) => workload.name).join(', ')}`);
  return found;
}
