// LIKE and GLOB (lang_expr.html "The LIKE, GLOB, REGEXP, MATCH, and extract operators"). Both work on the text
// of any operand. LIKE without ESCAPE is the engine's own over folded texts; the rest is in JavaScript.
import { GatewayError } from '../../errors.ts';
import type { MatchOperator } from '../ast.ts';
import type { Context } from '../context.ts';
import type { Template } from '../plan.ts';
import { sql, type Value } from '../value.ts';
import { asciiLower } from './collation.ts';
import { computed, nullOf } from './computed.ts';
import { toText } from './convert.ts';
import { canFail } from './logic.ts';

export function match(
  op: MatchOperator,
  x: Value,
  pattern: Value,
  mark: Value | undefined,
  ctx: Context,
): Value {
  if (op === 'match')
    throw new GatewayError('run-failed', 'unable to use function MATCH in the requested context');
  if (op === 'regexp') throw new GatewayError('unknown-function', 'no such function: REGEXP');
  if (op === 'glob' && mark !== undefined)
    throw new GatewayError('statement-syntax', 'wrong number of arguments to function GLOB()');
  if (x.kind === 'null' || pattern.kind === 'null' || mark?.kind === 'null') return nullOf('boolean');
  const notNull = x.notNull && pattern.notNull && (mark?.notNull ?? true);
  const answer = (text: Template): Value => computed('boolean', text, notNull);
  const text = toText(x);
  const wanted = toText(pattern);
  if (mark !== undefined) return answer(sql`tg_like(${text.sql}, ${wanted.sql}, ${toText(mark).sql})`);
  // The engine simplifies a CASE while it plans, and a constant that fails there fails even where no row asks.
  if (canFail(text.sql) || canFail(wanted.sql))
    return answer(sql`${op === 'like' ? 'tg_like_plain' : 'tg_glob'}(${text.sql}, ${wanted.sql})`);
  return ctx.once([text, wanted], ([t, p]) => {
    // SQLite's matching ends at the first NUL of either text.
    const hard = sql`${many(p!, op === 'like' ? '%' : '*')} OR contains(${p!.sql}, chr(0)) OR contains(${t!.sql}, chr(0))`;
    if (op === 'like')
      return answer(
        sql`(CASE WHEN ${hard} THEN tg_like_plain(${t!.sql}, ${p!.sql}) ELSE ${asciiLower(t!, ctx).sql} LIKE ${asciiLower(p!, ctx).sql} END)`,
      );
    // The engine's GLOB knows other classes, takes backslashes as escapes and `?` as a byte.
    return answer(
      sql`(CASE WHEN regexp_matches(${p!.sql}, '[?\\[\\\\]') OR ${hard} THEN tg_glob(${t!.sql}, ${p!.sql}) ELSE ${t!.sql} GLOB ${p!.sql} END)`,
    );
  });
}

/** The engine's own matching takes time to the power of the number of wildcards. */
function many({ sql: pattern }: Value, wildcard: '%' | '*'): Template {
  return sql`strlen(${pattern}) - strlen(replace(${pattern}, '${wildcard}', '')) > 2`;
}
