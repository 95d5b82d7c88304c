// Generated requests: a statement, sometimes with its literals sent as params, and every output option.
import fc from 'fast-check';
import type { CaseRequest } from '../case.ts';
import { type Select, select } from './select.ts';
import { shapes } from './shape.ts';

const ASCII_LITERAL = /(?<![\w'".])(?:'(?:[^']|'')*'|\d{1,18})(?![\w'".(])/g;

/** Lifts some literals out of the statement as the reference takes them: whole numbers and texts only. */
function lifted(sql: string, which: readonly boolean[]): { sql: string; params: string[] } {
  const params: string[] = [];
  let index = 0;
  // Positions in ORDER BY, LIMIT, JSON paths and blobs are left as they are.
  const cut = sql.search(/ (?:order by|limit) /);
  const head = cut < 0 ? sql : sql.slice(0, cut);
  const text = head.replace(ASCII_LITERAL, (literal, at: number) => {
    if (/[xX]$/.test(head.slice(0, at)) || literal.includes('"') || literal.startsWith("'$")) return literal;
    if (!which[index++ % which.length]) return literal;
    params.push(literal);
    return '?';
  });
  return { sql: text + (cut < 0 ? '' : sql.slice(cut)), params };
}

export function asRequest(
  statement: Select,
  lifts: readonly boolean[],
  format: number,
  flags: number,
): CaseRequest {
  const { sql, params } = lifts.some((lift) => lift)
    ? lifted(statement.sql, lifts)
    : { sql: statement.sql, params: [] };
  const single = statement.columns === 1;
  return {
    statement: sql,
    ...(params.length > 0 && { params }),
    ...(format === 0 && { format: 'table' }),
    ...(format > 0 && single && (flags & 1) === 1 && { extract: 'true' }),
    ...(format > 0 && (flags & 2) === 2 && { unwrap: 'true' }),
  };
}

export const request: fc.Arbitrary<CaseRequest> = fc
  .tuple(
    fc.oneof({ weight: 3, arbitrary: select }, { weight: 1, arbitrary: shapes }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant([false]) },
      { weight: 1, arbitrary: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }) },
    ),
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 2, 3),
  )
  .map(([statement, lifts, format, flags]) => asRequest(statement, lifts, format, flags));
