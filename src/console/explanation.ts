// Asks the gateway what it would do with a query. Touches no element.
import { BASE, type Outcome, send } from './gateway.ts';
import { bodyOf, type Query } from './place.ts';

/** What /explain says. */
export interface Explanation {
  readonly engine: string;
  readonly reason: string;
  readonly why: string;
  readonly rows_visited: number | null;
  readonly columns: readonly string[];
  readonly tables: readonly { readonly name: string; readonly version: string }[];
  readonly cache: string;
  readonly sqlite?: {
    readonly sql: string;
    readonly values: readonly string[];
    readonly plan: readonly { readonly depth: number; readonly detail: string }[];
  };
  readonly duckdb?: { readonly sql: string };
  readonly trino?: { readonly sql: string };
}

export type Explained =
  | { readonly kind: 'explained'; readonly explanation: Explanation; readonly ms: number }
  | Exclude<Outcome, { kind: 'answer' }>;

export async function explainQuery(query: Query, signal: AbortSignal): Promise<Explained> {
  const outcome = await send(`${BASE}/explain`, bodyOf(query), signal);
  if (outcome.kind !== 'answer') return outcome;
  return { kind: 'explained', explanation: JSON.parse(outcome.text) as Explanation, ms: outcome.ms };
}
