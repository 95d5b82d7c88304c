// Window functions (windowfunctions.html sections 2 and 3): the built-in ones, and aggregates with OVER.
import { asciiLower } from '../../base/ascii-lower.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Context, WindowCall } from '../context.ts';
import { NotNative } from '../not-native.ts';
import { computed, integerConstant, NULL_VALUE } from '../operators/computed.ts';
import { toInteger, unboolean, unify } from '../operators/convert.ts';
import { sql, type Value } from '../value.ts';
import { callWindowAggregate, isAggregate } from './aggregate.ts';
import { wrongCount } from './scalar-function.ts';

const RANKINGS: Readonly<Record<string, 'integer' | 'real'>> = {
  row_number: 'integer',
  rank: 'integer',
  dense_rank: 'integer',
  percent_rank: 'real',
  cume_dist: 'real',
};

const ARGUMENTS: Readonly<Record<string, readonly [number, number]>> = {
  row_number: [0, 0],
  rank: [0, 0],
  dense_rank: [0, 0],
  percent_rank: [0, 0],
  cume_dist: [0, 0],
  ntile: [1, 1],
  lag: [1, 3],
  lead: [1, 3],
  first_value: [1, 1],
  last_value: [1, 1],
  nth_value: [2, 2],
};

/** Whether the name is one of the functions that stand only with OVER. */
export function isWindowFunction(name: string): boolean {
  return Object.hasOwn(ARGUMENTS, asciiLower(name));
}

export function callWindow(name: string, args: readonly Value[], call: WindowCall, ctx: Context): Value {
  const lower = asciiLower(name);
  if (!isWindowFunction(lower)) {
    if (isAggregate(lower, args.length)) return callWindowAggregate(lower, args, call, ctx);
    throw new GatewayError('statement-syntax', `${name}() may not be used as a window function`);
  }
  const [min, max] = ARGUMENTS[lower]!;
  if (args.length < min || args.length > max) throw wrongCount(name);
  if (call.filter !== undefined)
    throw new GatewayError(
      'statement-syntax',
      'FILTER clause may only be used with aggregate window functions',
    );
  const over = sql` OVER (${call.over})`;
  const ranking = RANKINGS[lower];
  if (ranking !== undefined) return computed(ranking, sql`${lower}()${over}`, true);
  switch (lower) {
    case 'ntile':
      return computed('integer', sql`ntile(${positive(toInteger(args[0]!, ctx), ctx)})${over}`, true);
    case 'lag':
    case 'lead': {
      const [x, fallback] = unify([unboolean(args[0]!), unboolean(args[2] ?? NULL_VALUE)]);
      const offset = args[1] === undefined ? integerConstant(1) : toInteger(args[1], ctx);
      return { ...computed(x!.kind, sql`${lower}(${x!.sql}, ${offset.sql}, ${fallback!.sql})${over}`) };
    }
    case 'nth_value': {
      const x = plain(args[0]!);
      return computed(x.kind, sql`nth_value(${x.sql}, ${positive(toInteger(args[1]!, ctx), ctx)})${over}`);
    }
    default: {
      const x = plain(args[0]!);
      return computed(x.kind, sql`${lower}(${x.sql})${over}`);
    }
  }
}

/** windowfunctions.html section 3: the argument must be a positive integer. */
function positive(n: Value, { engine }: Context): Value['sql'] {
  return sql`CASE WHEN ${n.sql} > 0 THEN ${n.sql} ELSE ${engine.failing('BIGINT')} END`;
}

function plain(given: Value): Value {
  const x = unboolean(given);
  if (x.kind === 'number') throw new NotNative('window over integers and reals in one');
  return x;
}
