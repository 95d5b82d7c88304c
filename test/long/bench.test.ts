// The whole suite on tiny data: every workload on every target that runs here, every answer checked.
import * as assert from 'uvu/assert';
import { STUDIES } from '../../bench/load/studies.ts';
import { SUITE } from '../../bench/load/suite.ts';
import { isBuilt } from '../../bench/load/targets/tablegate.ts';
import { hasWrk, NO_WRK } from '../../bench/load/wrk.ts';
import { family } from '../../bench/processes.ts';
import { reportPage } from '../../bench/report/page.ts';
import type { LoadLine } from '../../bench/results.ts';
import { queries, served } from '../../bench/tpch/data.ts';
import { ownBenchFolder, quickBench, ROOT } from '../bench/support.ts';
import { neededSuite } from '../support/needed.ts';

const test = neededSuite('the bench', 'wrk', hasWrk() ? undefined : NO_WRK);
const removeFolder = ownBenchFolder();
/** This process, and the compiler that tsx keeps beside it. */
const before = family(process.pid);
test.after(removeFolder);

// TPC-H's tables are made by a program that is fetched from a registry: not in a test.
const WANTED = STUDIES.filter(({ name }) => name !== 'tpch');

let lines: LoadLine[] = [];

test('every workload runs on every target, and every answer is right', async () => {
  const said: string[] = [];
  lines = await quickBench(
    SUITE.map(({ name }) => name),
    { say: (text) => said.push(text) },
  );
  for (const line of said.filter((text) => text.startsWith('SKIPPED'))) process.stdout.write(`${line}\n`);
  const skipped = new Set(said.map((text) => /^SKIPPED (\w+)/.exec(text)?.[1]));
  assert.is(skipped.has('tablegate'), !isBuilt(ROOT));
  for (const workload of SUITE)
    for (const target of workload.targets) {
      if (skipped.has(target)) continue;
      const own = lines.filter((line) => line.workload === workload.name && line.target === target);
      assert.ok(own.length > 0, `${workload.name} on ${target}`);
      for (const line of own) {
        // An open loop's rate is of the answers that came within a tenth of a second: a busy machine has none.
        const told = line.requests > 0 && (line.mode === 'open' || line.requestsPerSecond > 0);
        assert.ok(told, `${line.workload} ${line.variant} ${target}`);
        assert.is(line.latency.count >= line.requests, true);
        assert.ok(line.memory.every(({ bytes }) => bytes > 0));
      }
    }
});

test('every study runs, and gives what its goals are read off', async () => {
  const said: string[] = [];
  const told = await quickBench([], { workloads: WANTED, say: (text) => said.push(text) });
  // Without nginx, or without root for control groups.
  const skipped = said.filter((text) => text.startsWith('SKIPPED replicas'));
  for (const line of skipped) process.stdout.write(`${line}\n`);
  for (const study of WANTED) {
    if (study.name === 'replicas' && skipped.length > 0) continue;
    const own = told.filter((line) => line.workload === study.name);
    assert.ok(own.length > 0, study.name);
    // Of fronts a smoke run starts two at once and not one, so that there is nothing to compare.
    if (study.name === 'fronts') continue;
    for (const goal of study.goals)
      assert.ok(Number.isFinite(goal.measure(own)), `${study.name}: ${goal.text}`);
  }
  assert.is(queries().length, 22);
  for (const query of queries()) assert.match(served(query), /\bfrom [\w, ]*_31337_10\d/);
  lines = [...lines, ...told];
});

test('no process of a target is left', () => {
  assert.equal(
    family(process.pid).filter((pid) => !before.includes(pid)),
    [],
  );
});

test('the report of these results is one page that loads nothing', () => {
  const page = reportPage(lines, []);
  assert.ok((page.match(/<svg/g) ?? []).length >= SUITE.length);
  assert.not.match(page, /(src|href)\s*=|url\(|@import|https?:\/\//);
  assert.not.match(page, /NaN|undefined|Infinity/);
  for (const workload of SUITE)
    if (lines.some((line) => line.workload === workload.name)) assert.match(page, `id="${workload.name}"`);
});

test.run();
