// Says what our answer is beside the reference's: the same, refused, different, or beyond it.
// Judges one pair of replies; it knows no case by name (differences.ts does).
import { canonicalItems, canonicalJson } from './lossless-json.ts';

export interface Reply {
  readonly status: number;
  /** Media type without parameters, lower case; '' where there is none. */
  readonly type: string;
  readonly body: string;
  /** Of our gateway: its Cache-Status. */
  readonly cache?: string | undefined;
}

/**
 * same: as the reference, or both refuse. order: the same rows in another order where nothing fixes it.
 * refused: a clear 400 where the reference answers. beyond: an answer where the reference has none.
 */
export type Verdict = 'same' | 'order' | 'refused' | 'different' | 'beyond';
export interface Judgement {
  readonly verdict: Verdict;
  readonly why: string;
}

export interface Expectation {
  /** The rows' order is part of the answer. */
  readonly ordered: boolean;
  /** Only these result columns are in a fixed order (see CaseRequest.sorted). */
  readonly sorted?: readonly number[] | undefined;
}

export function judge(reference: Reply, ours: Reply, expectation: Expectation): Judgement {
  if (ours.status >= 500) return { verdict: 'different', why: `status ${ours.status}` };
  if (reference.status === 200) {
    if (ours.status === 200) return judgeBodies(reference, ours, expectation);
    if (ours.status === 400) return { verdict: 'refused', why: ours.body };
    return { verdict: 'different', why: `status ${ours.status} for ${reference.status}` };
  }
  if (reference.status === 404) {
    const same = ours.status === 404 && ours.body.trim() === reference.body.trim();
    if (ours.status === 400) return { verdict: 'refused', why: ours.body };
    return same
      ? { verdict: 'same', why: '' }
      : { verdict: 'different', why: `status ${ours.status} for 404` };
  }
  if (ours.status === 200 || ours.status === 404) return { verdict: 'beyond', why: reference.body };
  return { verdict: 'same', why: '' };
}

function judgeBodies(reference: Reply, ours: Reply, expectation: Expectation): Judgement {
  const judgement = judgeRows(reference.body, ours.body, ours.type, expectation);
  if (judgement.verdict === 'different' || reference.type === ours.type) return judgement;
  return { verdict: 'different', why: `type ${ours.type} for ${reference.type}` };
}

function judgeRows(reference: string, ours: string, type: string, expectation: Expectation): Judgement {
  if (reference.trim() === ours.trim()) return { verdict: 'same', why: '' };
  let expected: Rows;
  let got: Rows;
  try {
    expected = rowsOf(reference, type);
    got = rowsOf(ours, type);
  } catch (error) {
    return { verdict: 'different', why: `no JSON: ${String(error)}` };
  }
  if (expected.head !== got.head) return { verdict: 'different', why: `${got.head} for ${expected.head}` };
  if (expected.rows.length !== got.rows.length)
    return { verdict: 'different', why: `${got.rows.length} rows for ${expected.rows.length}` };
  const first = expected.rows.findIndex((row, i) => row !== got.rows[i]);
  if (first < 0) return { verdict: 'same', why: '' };
  const pair = `row ${first}: ${clip(got.rows[first] ?? '')} for ${clip(expected.rows[first] ?? '')}`;
  if (!sameSet(expected.rows, got.rows)) return { verdict: 'different', why: pair };
  if (expectation.sorted !== undefined) {
    const columns = expectation.sorted;
    const key = (row: string): string => columns.map((c) => canonicalItems(row)?.[c] ?? row).join();
    const same = expected.rows.every((row, i) => key(row) === key(got.rows[i] ?? ''));
    return { verdict: same ? 'order' : 'different', why: `order, ${pair}` };
  }
  return { verdict: expectation.ordered ? 'different' : 'order', why: `order, ${pair}` };
}

interface Rows {
  readonly head: string;
  readonly rows: readonly string[];
}

function rowsOf(body: string, type: string): Rows {
  if (type === 'application/jsonl+json') return { head: 'jsonl', rows: body.split('\n').map(canonicalJson) };
  const text = body.trim();
  const items = text.startsWith('[') ? canonicalItems(text) : undefined;
  if (items !== undefined) return { head: 'array', rows: items };
  const table = /^\{"columns":(\[.*?\]),"rows":(\[.*\])\}$/s.exec(text);
  const rows = table === null ? undefined : canonicalItems(table[2] ?? '');
  if (rows !== undefined) return { head: `columns ${canonicalJson(table?.[1] ?? '')}`, rows };
  return { head: 'value', rows: [canonicalJson(text)] };
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [[...a].sort(), [...b].sort()];
  return left.every((row, i) => row === right[i]);
}

const clip = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}...` : text);
