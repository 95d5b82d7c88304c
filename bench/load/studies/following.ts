// The mixed load on a gateway that follows a database: while nothing is written, and while a writer commits twice a
// second.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSource } from '../../soak/source.ts';
import { latencyAtMost, rateOfOwn } from '../goals.ts';
import { startFollowing } from '../targets/tablegate.ts';
import type { Target } from '../targets/target.ts';
import { openTruth } from '../truth.ts';
import { mixed } from '../workloads/mixed.ts';
import { around, rateLine, type Study } from './study.ts';

const COMMIT_EVERY_MS = 500;
const CONNECTIONS = 64;
const FEW_CONNECTIONS = 16;

export const following: Study = {
  name: 'following',
  title: 'the mixed load while a writer commits',
  about: 'The mixed load of 64 connections on a gateway with --follow: calm, and with two commits a second.',
  goals: [
    rateOfOwn(0.8, 'calm', 'following', 'rate >= 0.8 x the calm one'),
    latencyAtMost(3, { target: 'tablegate', variant: 'calm' }, 99, 'following', 'p99 <= 3 x the calm one'),
  ],
  async run(context) {
    const { dataset, seed, patient } = context;
    const folder = mkdtempSync(join(tmpdir(), 'tablegate-following-'));
    const source = startSource(dataset.database, join(folder, 'validator.db'), COMMIT_EVERY_MS);
    source.pause();
    const truth = openTruth(dataset.database);
    let gateway: Target | undefined;
    try {
      gateway = await startFollowing(context.root, source.path, join(folder, 'data'));
      const { base, pids } = gateway;
      const connections = patient ? CONNECTIONS : FEW_CONNECTIONS;
      const snapshot = async (): Promise<string | null> => {
        const answer = await fetch(`${base}/health`);
        await answer.arrayBuffer();
        return answer.headers.get('tablegate-snapshot');
      };
      const states = ['calm', 'following'] as const;
      let index = 0;
      for (let round = 1; round <= context.rounds; round++)
        for (const state of round % 2 === 1 ? states : states.toReversed()) {
          if (state === 'following') source.resume();
          const before = await snapshot();
          const surroundings = around();
          try {
            const { measured } = await context.generator.run({
              workload: mixed.name,
              base,
              dataset,
              load: { mode: 'closed', connections },
              slice: { seed, index: index++, of: 2 * context.rounds },
              warmMs: patient ? 1_000 : 0,
              // Several commits must fall into it.
              measureMs: Math.max(context.measureMs, patient ? 6_000 : 1_000),
              keep: 20,
              constant: false,
              repeats: false,
              looks: true,
              pids,
            });
            for (const answer of measured.kept) {
              const problem = truth.compare(answer);
              if (problem !== undefined) throw new Error(`${following.name}, ${state}: ${problem}`);
            }
            const after = await snapshot();
            if (state === 'following' && patient && before === after)
              throw new Error('following: no new snapshot was served while the writer wrote');
            const at = { variant: state, round, surroundings: surroundings() };
            context.emit(rateLine(following.name, seed, at, connections, measured));
          } finally {
            source.pause();
          }
        }
    } finally {
      await gateway?.stop();
      truth.close();
      source.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
