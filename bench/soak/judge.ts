// What a soak must show, as sentences that were kept or broken. Bounds are wide: growth without end is looked
// for, not a figure.
import { median } from '../statistics.ts';
import type { KindRecord } from './record.ts';
import type { ProcessSample } from './watch.ts';

export interface Verdict {
  readonly text: string;
  readonly met: boolean;
}

/** Good visitors may be told "busy" this seldom. */
const MOST_BUSY = 0.001;
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
  const good = kinds.filter(({ kind }) => !STRANGERS.has(kind));
  const answered = total(good, 'answered');
  const busy = total(good, 'busy');
  const grown = (name: string, read: (sample: ProcessSample) => number): Verdict => {
    const ratio = growth(samples, read);
    return { text: `${name} did not grow: ${ratio.toFixed(2)} times the start`, met: !(ratio > MOST_GROWTH) };
  };
  return [
    {
      text: `no wrong answer: ${total(kinds, 'wrong')} of ${total(kinds, 'answered')}`,
      met: total(kinds, 'wrong') === 0,
    },
    { text: `no failed request: ${total(kinds, 'failed')}`, met: total(kinds, 'failed') === 0 },
    {
      text: `those who behave were served: ${answered} answers, ${busy} times busy`,
      met: answered > 0 && busy <= answered * MOST_BUSY,
    },
    { text: `the snapshot was swapped: ${swaps} times`, met: swaps > 0 },
    grown("the front's memory", (sample) => sample.frontBytes),
    grown("the children's memory", (sample) => sample.childrenBytes),
    grown('open files', (sample) => sample.frontFiles + sample.childrenFiles),
  ];
}
