// The window of a call: OVER, named windows (windowfunctions.html section 2.1).
import { GatewayError } from '../../base/errors.ts';
import type { Name, Window } from '../ast.ts';
import { nameKey } from './name.ts';

type Windows = ReadonlyMap<string, Window>;

/**
 * `OVER name` is the window of that name; `OVER (name ...)` adds to it what it lacks.
 * @param windows undefined where no window function may stand
 */
export function windowOf(
  over: Window | Name,
  windows: Windows | undefined,
  called: string,
): Omit<Window, 'base'> {
  if (windows === undefined)
    throw new GatewayError('statement-syntax', `misuse of window function ${called}()`);
  const { base: _, ...window } = 'text' in over ? named(over, windows, 0) : chained(over, windows, 0);
  return window;
}

function named(name: Name, windows: Windows, depth: number): Window {
  const window = windows.get(nameKey(name.text));
  if (window === undefined || depth > 32)
    throw new GatewayError('statement-syntax', `no such window: ${name.text}`);
  return chained(window, windows, depth + 1);
}

function chained(window: Window, windows: Windows, depth: number): Window {
  if (window.base === undefined) return window;
  const base = named(window.base, windows, depth);
  const overridden =
    window.partitionBy.length > 0
      ? 'PARTITION clause'
      : base.orderBy.length > 0 && window.orderBy.length > 0
        ? 'ORDER BY clause'
        : base.frame !== undefined
          ? 'frame specification'
          : undefined;
  if (overridden !== undefined)
    throw new GatewayError(
      'statement-syntax',
      `cannot override ${overridden} of window: ${window.base.text}`,
    );
  return {
    base: undefined,
    partitionBy: base.partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : base.orderBy,
    frame: window.frame,
  };
}
