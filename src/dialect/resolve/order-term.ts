// What an ORDER BY or GROUP BY term points at, before it is an expression: a column's position or its alias.
import { GatewayError } from '../../base/errors.ts';
import type { Expression } from '../ast.ts';
import { collate } from '../operators/collation.ts';
import { NULL_VALUE } from '../operators/computed.ts';
import type { Collation } from '../value.ts';
import { nameKey } from './name.ts';
import type { Resolver } from './resolver.ts';
import type { ResultColumn } from './tree.ts';

/**
 * The result column that an integer means, from 0 (lang_select.html sections 2.4 and 4); undefined where the
 * term is no integer.
 */
export function position(
  term: Expression,
  index: number,
  clause: 'ORDER' | 'GROUP',
  columns: number,
  resolver: Resolver,
): number | undefined {
  const signs = term.type === 'unary' && (term.operator === '-' || term.operator === '+') ? term : undefined;
  const inner = signs === undefined ? term : signs.operand;
  if (inner.type !== 'literal' || inner.kind !== 'integer') return undefined;
  const digits = resolver.pin(inner.index).text;
  const place = Number(digits);
  // An integer past 32 bits is an expression to SQLite, and a constant one.
  if (place > 2 ** 31 - 1) return undefined;
  if (place < 1 || place > columns || signs?.operator === '-')
    throw new GatewayError(
      'statement-syntax',
      `${ordinal(index + 1)} ${clause} BY term out of range - should be between 1 and ${columns}`,
    );
  return place - 1;
}

/** The result column that has the term as its alias. */
export function aliasPlace(term: Expression, columns: readonly ResultColumn[]): number | undefined {
  if (term.type !== 'column' || term.table !== undefined) return undefined;
  const key = nameKey(term.name.text);
  const place = columns.findIndex(({ aliasKey }) => aliasKey === key);
  return place < 0 ? undefined : place;
}

/** A term without its COLLATE, which then is the collation to order by. */
export function stripCollate(term: Expression): readonly [Expression, Collation | undefined] {
  if (term.type !== 'collate') return [term, undefined];
  const [inner] = stripCollate(term.operand);
  return [inner, collate(NULL_VALUE, term.collation.text).collation?.name];
}

export function ordinal(number: number): string {
  const tens = number % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}
