// What a soak must show, as sentences that were kept or broken. Bounds are wide: growth without end is looked
// for, not a figure.
import { median } from '../statistics.ts';
import { EXPORT } from './exports.ts';
import type { KindRecord } from './record.ts';
import type { ProcessSample } from './watch.ts';

export interface Verdict {
  readonly text: string;
  readonly met: boolean;
  /**
   * `answers` holds on any machine, in any time. `service` is what a machine of one's own gives: where others fill
   * the cores, lanes miss their beats and visitors wait.
   */
  readonly about: 'answers' | 'service';
}

/** Good visitors may be told "busy", or be out of time or struck, this seldom; exports are meant to be. */
const MOST_NOT_SERVED = 0.02;
const MOST_GROWTH = 1.5;
const STRANGERS = new Set([
  'forbidden statement',
  'heavy statement',
  'broken HTTP',
  'slow reader',
  'leaves at once',
  'half a head',
]);

const total = (kinds: readonly KindRecord[], outcome: string): number =>
  kinds.reduce((sum, { outcomes }) => sum + (outcomes[outcome] ?? 0), 0);

/** Medians of the second and of the last quarter: start-up and single peaks count for nothing. */
function growth(samples: readonly ProcessSample[], read: (sample: ProcessSample) => number): number {
  const quarter = Math.floor(samples.length / 4);
  const early = median(samples.slice(quarter, 2 * quarter).map(read));
  return median(samples.slice(-quarter).map(read)) / early;
}

export function judge(
  kinds: readonly KindRecord[],
  samples: readonly ProcessSample[],
  swaps: number,
): Verdict[] {
  const exports = kinds.filter(({ kind }) => kind === EXPORT.kind);
  const good = kinds.filter(({ kind }) => !STRANGERS.has(kind) && kind !== EXPORT.kind);
  const answered = total(good, 'answered');
  const [busy, stopped, struck] = [total(good, 'busy'), total(good, 'stopped'), total(good, 'struck')];
  const grown = (name: string, read: (sample: ProcessSample) => number): Verdict => {
    const ratio = growth(samples, read);
    return {
      text: `${name} did not grow: ${ratio.toFixed(2)} times the start`,
      met: !(ratio > MOST_GROWTH),
      about: 'service',
    };
  };
  return [
    {
      text: `no wrong answer: ${total(kinds, 'wrong')} beside ${total(kinds, 'answered')} right ones`,
      met: total(kinds, 'wrong') === 0,
      about: 'answers',
    },
    {
      text: `no failed request: ${total(kinds, 'failed')}`,
      met: total(kinds, 'failed') === 0,
      about: 'answers',
    },
    {
      text: `exports met the deadline ${total(exports, 'stopped')} times, ${total(exports, 'answered')} were whole`,
      met: total(exports, 'stopped') > 0 && total(exports, 'answered') > 0,
      about: 'service',
    },
    { text: `the snapshot was swapped ${swaps} times`, met: swaps > 0, about: 'answers' },
    {
      text: `those who behave were served: ${answered} answers; ${busy} busy, ${stopped} out of time, ${struck} struck`,
      met: answered > 0 && busy + stopped + struck <= answered * MOST_NOT_SERVED,
      about: 'service',
    },
    grown("the front's memory", (sample) => sample.frontBytes),
    grown("the children's memory", (sample) => sample.childrenBytes),
    grown('open files', (sample) => sample.frontFiles + sample.childrenFiles),
  ];
}
