// TPC-H's 22 queries over HTTP, each asked for the first time, against DuckDB alone with the same tables in memory.
import { join } from 'node:path';
import type { LoadLine } from '../../results.ts';
import { queries, served, servedName, TABLES, tpchFolder } from '../../tpch/data.ts';
import type { Goal } from '../goals.ts';
import { startTablegate } from '../targets/tablegate.ts';
import { sameRows } from '../truth.ts';
import { queryPath } from '../workload.ts';
import { type Peer, startPeer } from './peer.ts';
import { around, askOnce, type Study, timedLine } from './study.ts';

function ratios(lines: readonly LoadLine[]): number[] {
  return lines
    .filter((line) => line.target === 'tablegate')
    .flatMap((own) => {
      const other = lines.find(
        (line) => line.target === 'engine' && line.variant === own.variant && line.round === own.round,
      );
      return other === undefined ? [] : [own.latency.mean / other.latency.mean];
    });
}

const geometric = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

const bounded = (text: string, most: number, pick: (values: readonly number[]) => number): Goal => ({
  text,
  measure: (lines) => {
    const all = ratios(lines);
    return all.length === 0 ? undefined : pick(all);
  },
  met: (value) => value <= most,
  show: (value) => `${value.toFixed(2)} x`,
});

export const tpch: Study = {
  name: 'tpch',
  title: "TPC-H's 22 queries, first contact",
  about: 'Scale 1 (8.7 M rows), each query once over HTTP and once by DuckDB alone in memory.',
  goals: [
    bounded('geometric mean <= 1.4 x bare DuckDB in memory', 1.4, geometric),
    bounded('the worst <= 2.5 x bare DuckDB in memory', 2.5, (values) => Math.max(...values)),
  ],
  async run(context) {
    const folder = await tpchFolder(context.patient ? 1 : 0.01);
    const gateway = await startTablegate({ root: context.root, database: folder });
    let peer: Peer | undefined;
    try {
      peer = await startPeer(
        'tpch.ts',
        TABLES.map((table) => `${table}=${join(folder, `${servedName(table)}.parquet`)}`),
      );
      for (const [index, query] of queries().entries()) {
        const variant = `q${index + 1}`;
        const bodies: unknown[] = [];
        const askGateway = async (): Promise<void> => {
          const surroundings = around();
          const { ms, body } = await askOnce(gateway.base, queryPath(served(query)));
          bodies.push(JSON.parse(body));
          context.emit(
            timedLine(tpch.name, context.seed, {
              variant,
              target: 'tablegate',
              round: 1,
              milliseconds: [ms],
              surroundings: surroundings(),
            }),
          );
        };
        const askPeer = async (): Promise<void> => {
          if (peer === undefined) return;
          const { ms, body } = await peer.ask(query);
          bodies.push(JSON.parse(body));
          context.emit(
            timedLine(tpch.name, context.seed, { variant, target: 'engine', round: 1, milliseconds: [ms] }),
          );
        };
        for (const ask of index % 2 === 0 ? [askGateway, askPeer] : [askPeer, askGateway]) await ask();
        if (!sameAnswers(bodies[0], bodies[1]))
          throw new Error(`tpch, ${variant}: ${JSON.stringify(bodies).slice(0, 600)}`);
      }
    } finally {
      await peer?.stop();
      await gateway.stop();
    }
  },
};

/** Rows as both say them; the order of rows that compare equal is nobody's, so they are compared sorted. */
function sameAnswers(left: unknown, right: unknown): boolean {
  const sorted = (rows: unknown): unknown[] =>
    (rows as Record<string, unknown>[])
      .map((row) =>
        Object.entries(row).map(([name, value]) => [name.replace(/_\d+_\d+$/, ''), value] as const),
      )
      .map((row) => Object.fromEntries(row.sort(([a], [b]) => (a < b ? -1 : 1))))
      .sort((a, b) => (key(a) < key(b) ? -1 : 1));
  // Reals by seven digits: sums differ in their last ones.
  const key = (row: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(row, (_, value: unknown) => (typeof value === 'number' ? value.toPrecision(7) : value));
  const [a, b] = [sorted(left), sorted(right)];
  return a.length === b.length && a.every((row, at) => sameRows(row, b[at]));
}
