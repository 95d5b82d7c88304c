// printf() and format() (printf.html) with a literal format of `%d`, `%s` and `%%`, with a width or without: what
// means the same in the engine, piece by piece.
import type { Context } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed, nullOf } from '../operators/computed.ts';
import { toInteger, withoutNul } from '../operators/convert.ts';
import { pinnedText } from '../operators/literal.ts';
import type { Template } from '../plan.ts';
import { join, sql, textLiteral, type Value } from '../value.ts';

const PIECE = /%%|%(0?)([1-9]\d?)?([dis])|[^%]+/gy;

export function printf([format, ...values]: readonly Value[], ctx: Context): Value {
  if (format === undefined || format.kind === 'null') return nullOf('text');
  const text = pinnedText(format, ctx);
  if (text === undefined || text === '' || text.includes('\0'))
    throw new NotNative('printf with such a format');
  const pieces: Template[] = [];
  let end = 0;
  let next = 0;
  for (const found of text.matchAll(PIECE)) {
    const [all, zeros, width, conversion] = found;
    end = found.index + all.length;
    if (conversion === undefined) pieces.push([textLiteral(all === '%%' ? '%' : all)]);
    else pieces.push(piece(conversion, zeros === '0', Number(width ?? 0), values[next++], ctx));
  }
  if (end !== text.length) throw new NotNative('printf with such a format');
  return computed('text', sql`(${join(pieces, ' || ')})`, true);
}

/** A NULL counts as 0 or an empty text, and so does an argument that is missing. */
function piece(
  conversion: string,
  zeros: boolean,
  width: number,
  x: Value | undefined,
  ctx: Context,
): Template {
  if (conversion !== 's') {
    if (x === undefined || x.kind === 'null') return padded("'0'", zeros, width);
    // A text is the integer that comes first in it, however long.
    if (x.kind === 'text' || x.kind === 'blob') throw new NotNative('printf of a text as number');
    const given = toInteger(x, ctx);
    const number = given.notNull ? given.sql : sql`COALESCE(${given.sql}, 0)`;
    if (width === 0) return sql`CAST(${number} AS VARCHAR)`;
    return ctx.engine.padded(number, width, zeros);
  }
  if (x === undefined || x.kind === 'null') return padded("''", false, width);
  const text = withoutNul(x, 'printf', ctx);
  const given = text.notNull ? text.sql : sql`COALESCE(${text.sql}, '')`;
  if (width === 0) return given;
  throw new NotNative('printf of a text with a width');
}

function padded(text: string, zeros: boolean, width: number): Template {
  if (width === 0) return [text];
  return [textLiteral(text.slice(1, -1).padStart(width, zeros ? '0' : ' '))];
}
