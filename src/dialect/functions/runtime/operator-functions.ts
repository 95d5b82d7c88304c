// The operators' and conversions' functions in JavaScript, by the names under which the SQL calls them.
import { GatewayError } from '../../../errors.ts';
import { add, divide, modulo, multiply, negate, shiftLeft, shiftRight, subtract } from './arithmetic.ts';
import type { ArgumentKind, EngineFunction } from './engine-function.ts';
import {
  applyNumeric,
  castNumeric,
  readInteger,
  readReal,
  realText,
  type SqlValue,
  textBlob,
  toInteger,
  toReal,
  toText,
  truncate,
} from './number-text.ts';
import { glob, like } from './pattern.ts';

type Given = Exclude<SqlValue, null>;

/** A function that gives NULL for a NULL argument. */
function strict(
  name: string,
  args: readonly ArgumentKind[],
  returns: EngineFunction['returns'],
  run: EngineFunction['run'],
): EngineFunction {
  return { name, args, returns, takesNull: false, run };
}

function oneCharacter(text: string): string {
  if ([...text].length !== 1)
    throw new GatewayError('run-failed', 'ESCAPE expression must be a single character');
  return text;
}

export const OPERATOR_FUNCTIONS: readonly EngineFunction[] = [
  strict('tg_add', ['any', 'any'], 'any', add),
  strict('tg_subtract', ['any', 'any'], 'any', subtract),
  strict('tg_multiply', ['any', 'any'], 'any', multiply),
  strict('tg_divide', ['any', 'any'], 'any', divide),
  strict('tg_modulo', ['any', 'any'], 'any', modulo),
  strict('tg_negate', ['any'], 'any', negate),
  strict('tg_shift_left', ['integer', 'integer'], 'integer', shiftLeft),
  strict('tg_shift_right', ['integer', 'integer'], 'integer', shiftRight),
  strict('tg_real_integer', ['real'], 'integer', truncate),
  strict('tg_text_integer', ['text'], 'integer', (text: string) => readInteger(text).value),
  strict('tg_any_integer', ['any'], 'integer', toInteger),
  strict('tg_text_real', ['text'], 'real', (text: string) => readReal(text).value),
  strict('tg_any_real', ['any'], 'real', toReal),
  strict('tg_real_text', ['real'], 'text', realText),
  strict('tg_any_text', ['any'], 'text', toText),
  strict('tg_any_blob', ['any'], 'blob', (value: Given) =>
    value instanceof Uint8Array ? value : textBlob(toText(value)),
  ),
  strict('tg_cast_numeric', ['any'], 'any', castNumeric),
  strict('tg_numeric', ['any'], 'any', applyNumeric),
  strict('tg_text_affinity', ['any'], 'any', (value: Given) =>
    value instanceof Uint8Array ? value : toText(value),
  ),
  strict('tg_like', ['text', 'text', 'text'], 'boolean', (text: string, pattern: string, mark: string) =>
    like(text, pattern, oneCharacter(mark)),
  ),
  strict('tg_like_plain', ['text', 'text'], 'boolean', (text: string, pattern: string) =>
    like(text, pattern, undefined),
  ),
  strict('tg_glob', ['text', 'text'], 'boolean', glob),
];
