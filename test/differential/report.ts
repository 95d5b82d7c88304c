// The table that a run prints: how many cases of each category were answered how, and what differed.
import type { Verdict } from './compare.ts';
import { differenceOf } from './differences.ts';
import type { Judged } from './run-cases.ts';

const VERDICTS: readonly Verdict[] = ['same', 'order', 'refused', 'different', 'beyond'];

export interface Tally {
  readonly category: string;
  readonly judged: readonly Judged[];
}

/** `different` and `refused` cases that differences.ts does not explain. */
export function unexplained(judged: readonly Judged[]): Judged[] {
  return judged.filter(
    (one) => (one.verdict === 'different' || one.verdict === 'refused') && differenceOf(one) === undefined,
  );
}

export function reportTable(tallies: readonly Tally[]): string {
  const head = ['category'.padEnd(24), ...VERDICTS, 'listed', 'total'].join('  ');
  const lines = tallies.map((tally) => line(tally.category, tally.judged));
  const all = tallies.flatMap((tally) => tally.judged);
  return [head, ...lines, line('all', all)].join('\n');
}

function line(category: string, judged: readonly Judged[]): string {
  const bad = new Set(unexplained(judged));
  const explained = judged.filter((one) => ['different', 'refused'].includes(one.verdict) && !bad.has(one));
  const counts = VERDICTS.map((verdict) => {
    const count = judged.filter((one) => one.verdict === verdict && !explained.includes(one)).length;
    return String(count).padStart(verdict.length);
  });
  return [
    category.padEnd(24),
    ...counts,
    String(explained.length).padStart('listed'.length),
    String(judged.length).padStart('total'.length),
  ].join('  ');
}

export function describe(judged: Judged): string {
  return `${judged.verdict}: ${judged.name}\n    ${judged.why}`;
}
