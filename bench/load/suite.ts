// All workloads in the order in which they are run and shown.

import type { Workload } from './workload.ts';
import { aggregate } from './workloads/aggregate.ts';
import { besideAttacks } from './workloads/beside-attacks.ts';
import { besideScans } from './workloads/beside-scans.ts';
import { hot } from './workloads/hot.ts';
import { joinLookups } from './workloads/join-lookups.ts';
import { keyLookups } from './workloads/key-lookups.ts';
import { lookups } from './workloads/lookups.ts';
import { metadata } from './workloads/metadata.ts';
import { overload } from './workloads/overload.ts';
import { pages } from './workloads/pages.ts';
import { risingLoad } from './workloads/rising-load.ts';
import { rows100k } from './workloads/rows-100k.ts';
import { slowReader } from './workloads/slow-reader.ts';
import { wholeTable } from './workloads/whole-table.ts';

export const SUITE: readonly Workload[] = [
  hot,
  metadata,
  lookups,
  keyLookups,
  joinLookups,
  pages,
  aggregate,
  rows100k,
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
