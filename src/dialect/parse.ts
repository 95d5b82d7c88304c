// Shape -> syntax tree: the whole of SQLite's SELECT. Checks the grammar and bounds the tree; whether names
// exist and fit is resolve.ts's business.
import type { Literal } from '../wire/protocol.ts';
import type { Select } from './ast.ts';
import { Cursor } from './parse/cursor.ts';
import { expression } from './parse/expression.ts';
import { checkHeight, MAX_HEIGHT } from './parse/height.ts';
import { select } from './parse/select.ts';

export interface Parsed {
  readonly select: Select;
  /** Indexes of text literals that the statement uses as names (`select a as 'x'`): see Plan.pins. */
  readonly pins: readonly number[];
}

/** @throws GatewayError statement-syntax, statement-too-complex, statement-not-a-read, unsupported, unknown-* */
export function parse(shape: string, literals: readonly Literal[]): Parsed {
  const cursor = new Cursor(shape, literals, { expression, select });
  const tree = cursor.nestedSelect(() => select(cursor));
  if (cursor.token.kind !== 'end') throw cursor.unexpected();
  // Every level takes a character at least.
  if (shape.length > MAX_HEIGHT / 2) checkHeight(tree);
  return { select: tree, pins: cursor.pins };
}
