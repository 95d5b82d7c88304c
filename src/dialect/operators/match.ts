// LIKE and GLOB (lang_expr.html "The LIKE, GLOB, REGEXP, MATCH, and extract operators"). Both work on the text
// of any operand. LIKE without ESCAPE is the engine's own over folded texts; the rest is in JavaScript.
import { GatewayError } from '../../errors.ts';
import type { MatchOperator } from '../ast.ts';
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import { asciiLower } from './collation.ts';
import { computed, nullOf } from './computed.ts';
import { toText, untilNul } from './convert.ts';

export function match(
  op: MatchOperator,
  x: Value,
  pattern: Value,
  mark: Value | undefined,
  ctx: Context,
): Value {
  if (op === 'regexp' || op === 'match')
    throw new GatewayError('unknown-function', `no such function: ${op.toUpperCase()}`);
  if (op === 'glob' && mark !== undefined)
    throw new GatewayError('statement-syntax', 'wrong number of arguments to function GLOB()');
  if (x.kind === 'null' || pattern.kind === 'null' || mark?.kind === 'null') return nullOf('boolean');
  const notNull = x.notNull && pattern.notNull && (mark?.notNull ?? true);
  const answer = (text: Template): Value => computed('boolean', text, notNull);
  // Both end at a first NUL.
  if (mark !== undefined)
    return answer(sql`tg_like(${toText(x).sql}, ${toText(pattern).sql}, ${toText(mark).sql})`);
  const text = untilNul(toText(x), ctx);
  const wanted = untilNul(toText(pattern), ctx);
  if (op === 'glob') {
    return ctx.once([text, wanted], ([t, p]) =>
      // The engine's GLOB knows other classes, takes backslashes as escapes and `?` as a byte.
      answer(
        sql`(CASE WHEN regexp_matches(${p!.sql}, '[?\\[\\\\]') THEN tg_glob(${t!.sql}, ${p!.sql}) ELSE ${t!.sql} GLOB ${p!.sql} END)`,
      ),
    );
  }
  return answer(sql`(${asciiLower(text, ctx).sql} LIKE ${asciiLower(wanted, ctx).sql})`);
}
