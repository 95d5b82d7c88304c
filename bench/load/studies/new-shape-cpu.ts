// What a statement of a new shape costs in processor time, all processes together, where its data is next to nothing:
// parse, plan and compile. One client, one statement after the other. The first statements of a process, which Node.js
// compiles its code with, and those of one that has answered some thousands.
import type { LoadLine } from '../../results.ts';
import { median } from '../../statistics.ts';
import type { Goal } from '../goals.ts';
import { hasReference, startReferenceTarget } from '../targets/reference.ts';
import { startTablegate } from '../targets/tablegate.ts';
import type { Target } from '../targets/target.ts';
import { openTruth } from '../truth.ts';
import { readUsage, sharesOf, usedBetween } from '../usage.ts';
import { queryPath } from '../workload.ts';
import { around, askOnce, type Study, timedLine } from './study.ts';

const STATEMENTS = 400;
/** Asked before those of a process that has compiled its code. */
const WARM_UP = 4_000;
const FEW = 20;

type Kind = 'lookup' | 'NFT metadata';
type Variant = Kind | `${Kind}, later`;

function cpuMs(lines: readonly LoadLine[], variant: Variant): number | undefined {
  const own = lines.filter((line) => line.target === 'tablegate' && line.variant === variant);
  return own.length === 0 ? undefined : median(own.map((line) => line.measures['cpuMs'] ?? Number.NaN));
}

const atMost = (variant: Variant, ms: number): Goal => ({
  text: `processor time of a new shape <= ${ms} ms (${variant})`,
  measure: (lines) => cpuMs(lines, variant),
  met: (value) => value <= ms,
  show: (value) => `${value.toFixed(2)} ms`,
});

export const newShapeCpu: Study = {
  name: 'new-shape-cpu',
  title: 'processor time of a new shape',
  about: `${STATEMENTS} statements over one rig, each of a shape that was never asked, one after the other.`,
  goals: [
    atMost('lookup', 0.5),
    atMost('NFT metadata', 1),
    atMost('lookup, later', 0.5),
    atMost('NFT metadata, later', 1),
  ],
  async run(context) {
    const { dataset, seed, wants, patient } = context;
    const { rigs, attributes } = dataset;
    const shapes: Readonly<Record<Kind, (id: number, name: string) => string>> = {
      lookup: (id, name) =>
        `select id as id_${name}, name as ${name}, owner as owner_${name} from ${rigs.name} where id = ${id}`,
      'NFT metadata': (id, name) =>
        `select json_object('name', r.name, 'attributes', json_group_array(json_object('trait_type', a.trait_type, ` +
        `'value', a.value))) as ${name} from ${rigs.name} r join ${attributes.name} a on a.rig_id = r.id ` +
        `where r.id = ${id} group by r.id`,
    };
    const truth = openTruth(dataset.database);
    const targets: Target[] = [];
    try {
      if (wants('tablegate'))
        targets.push(await startTablegate({ root: context.root, database: dataset.database }));
      if (wants('reference') && hasReference()) targets.push(await startReferenceTarget(dataset.database));
      const count = patient ? STATEMENTS : FEW;
      let number = seed * 10_000;
      const measure = async (target: Target, kind: Kind, variant: Variant, round: number): Promise<void> => {
        const milliseconds: number[] = [];
        const kept: { readonly statement: string; readonly body: string }[] = [];
        const surroundings = around();
        const before = readUsage(target.pids);
        for (let done = 0; done < count; done++) {
          const { statement, ms, body } = await ask(target, kind);
          milliseconds.push(ms);
          if (done % 50 === 0) kept.push({ statement, body });
        }
        const used = usedBetween(before, readUsage(target.pids));
        for (const one of kept) {
          const problem = truth.compare({ ...one, path: '' });
          if (problem !== undefined) throw new Error(`${target.name}, ${newShapeCpu.name}: ${problem}`);
        }
        const total = Object.values(used).reduce((sum, us) => sum + us, 0);
        context.emit(
          timedLine(newShapeCpu.name, seed, {
            variant,
            target: target.name,
            round,
            milliseconds,
            measures: { cpuMs: total / count / 1000 },
            processorUs: sharesOf(used, count),
            surroundings: surroundings(),
          }),
        );
      };
      const ask = async (target: Target, kind: Kind) => {
        const statement = shapes[kind](1 + (number % rigs.rows), `n${(number++).toString(36)}`);
        return { statement, ...(await askOnce(target.base, queryPath(statement))) };
      };
      for (let round = 1; round <= context.rounds; round++) {
        const inTurn = round % 2 === 1 ? targets : targets.toReversed();
        for (const kind of Object.keys(shapes) as Kind[])
          for (const target of inTurn) await measure(target, kind, kind, round);
        for (const kind of Object.keys(shapes) as Kind[])
          for (const target of inTurn) {
            for (let done = 0; patient && done < WARM_UP; done++) await ask(target, kind);
            await measure(target, kind, `${kind}, later`, round);
          }
      }
    } finally {
      truth.close();
      for (const target of targets) await target.stop();
    }
  },
};
