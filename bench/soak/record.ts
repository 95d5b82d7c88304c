// What happened during a soak: outcomes by kind of visitor, and latencies by kind and stretch of time.
import { createLatencyRecorder, type Latency, type LatencyRecorder } from '../statistics.ts';

/**
 * How an exchange ended, in the eyes of the visitor. `stopped` is the deadline: told, or a connection cut within an
 * answer; `struck` a shape that is not run again. `wrong` and `failed` are what must not happen.
 */
export type Outcome = 'answered' | 'refused' | 'stopped' | 'struck' | 'busy' | 'closed' | 'wrong' | 'failed';

export interface Stretch {
  /** Since the soak began, of the stretch's end. */
  readonly seconds: number;
  readonly latency: Latency;
}

export interface KindRecord {
  readonly kind: string;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly latency: Latency;
  readonly stretches: readonly Stretch[];
}

export interface Recorder {
  add(kind: string, outcome: Outcome, ms: number, detail?: string): void;
  read(): readonly KindRecord[];
  /** The first of what must not happen to each kind, with what was asked. */
  readonly faults: readonly string[];
  stop(): void;
}

const MOST_FAULTS_OF_A_KIND = 8;

interface Kind {
  readonly outcomes: Map<Outcome, number>;
  readonly whole: LatencyRecorder;
  readonly stretches: Stretch[];
  current: LatencyRecorder;
}

export function createRecorder(stretchMs: number): Recorder {
  const started = performance.now();
  const kinds = new Map<string, Kind>();
  const faults: string[] = [];
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  const turn = (): void => {
    for (const kind of kinds.values()) {
      kind.stretches.push({ seconds: seconds(), latency: kind.current.read() });
      kind.current = createLatencyRecorder();
    }
  };
  const timer = setInterval(turn, stretchMs);
  const kindOf = (name: string): Kind => {
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const kind: Kind = {
      outcomes: new Map(),
      whole: createLatencyRecorder(),
      stretches: [],
      current: createLatencyRecorder(),
    };
    kinds.set(name, kind);
    return kind;
  };
  return {
    add(name, outcome, ms, detail) {
      const kind = kindOf(name);
      kind.outcomes.set(outcome, (kind.outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'answered') {
        kind.whole.record(ms);
        kind.current.record(ms);
      }
      if (
        (outcome === 'wrong' || outcome === 'failed') &&
        (kind.outcomes.get(outcome) ?? 0) <= MOST_FAULTS_OF_A_KIND
      )
        faults.push(`${seconds()} s, ${name}: ${outcome}: ${detail ?? ''}`);
    },
    read: () =>
      [...kinds].map(([kind, { outcomes, whole, stretches }]) => ({
        kind,
        outcomes: Object.fromEntries(outcomes),
        latency: whole.read(),
        stretches,
      })),
    faults,
    stop: () => clearInterval(timer),
  };
}
