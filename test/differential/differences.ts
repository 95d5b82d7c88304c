// Every case of the written corpus whose answer is not the reference's, with the reason. The suite fails on
// a difference that is not here and on an entry that is no longer one; docs/COMPATIBILITY.md is held to it.
import type { Judged } from './run-cases.ts';

export interface Difference {
  /** Short and stable; the docs' heading carries it. */
  readonly id: string;
  readonly reason: string;
  /** Whether a judged case is of this kind, beyond those named in `cases`. */
  readonly rule?: (judged: Judged) => boolean;
  /** Names of cases (see nameOf). */
  readonly cases: readonly string[];
}

const clear = (judged: Judged, ...codes: string[]): boolean =>
  judged.ours.status === 400 && codes.some((code) => judged.ours.body.includes(`"${code}"`));

export const DIFFERENCES: readonly Difference[] = [
  {
    id: 'json-lines-type',
    reason:
      'Unwrapped rows are application/jsonl+json where they are more than one. The reference means to say so, but sets the header after the head was sent.',
    rule: (judged) => judged.why === 'type application/jsonl+json for application/json',
    cases: [],
  },
  {
    id: 'engine-tables',
    reason: 'The tables and pragma functions of the engine show paths and internals: they are not served.',
    rule: (judged) =>
      clear(judged, 'unknown-table') && /\b(sqlite_|pragma_|schema_migrations)/.test(judged.name),
    cases: [],
  },
  {
    id: 'runtime-errors',
    reason:
      'A statement that fails while it runs is a 400; the reference answers 200 with the rows before it.',
    rule: (judged) => clear(judged, 'run-failed') && judged.reference.status === 200,
    cases: [],
  },
];

export function differenceOf(judged: Judged): Difference | undefined {
  return DIFFERENCES.find(
    (difference) => difference.cases.includes(judged.name) || difference.rule?.(judged) === true,
  );
}
