// All studies in the order in which they are run and shown, after the workloads.
import { fairness } from './studies/fairness.ts';
import { following } from './studies/following.ts';
import { fronts } from './studies/fronts.ts';
import { functions } from './studies/functions.ts';
import { manyTables } from './studies/many-tables.ts';
import { newShapeCpu } from './studies/new-shape-cpu.ts';
import { peers } from './studies/peers.ts';
import { remote } from './studies/remote.ts';
import { replicas } from './studies/replicas.ts';
import type { Study } from './studies/study.ts';
import { tpch } from './studies/tpch.ts';
import { SUITE, workloadNamed } from './suite.ts';
import type { Workload } from './workload.ts';

export const STUDIES: readonly Study[] = [
  newShapeCpu,
  functions,
  tpch,
  following,
  fronts,
  replicas,
  fairness,
  manyTables,
];

/** Only by their names: one fetches programs from PyPI, the other needs a cluster of Trino (`.ci/trino`). */
export const ASKED_FOR: readonly Study[] = [peers, remote];

export const ALL: readonly (Workload | Study)[] = [...SUITE, ...STUDIES];

export const isStudy = (one: Workload | Study): one is Study => 'run' in one;

/** @throws Error where there is none of that name. */
export function measuredNamed(name: string): Workload | Study {
  return [...STUDIES, ...ASKED_FOR].find((study) => study.name === name) ?? workloadNamed(name);
}
