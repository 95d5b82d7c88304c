// Which observations become lines: by level, and of requests the share that is asked for. How a line looks is
// lines.ts's.
import { LEVELS, type Level, levelOf, type Observation, type Observe } from '../base/observe.ts';

export interface LogOptions {
  /** Quietest events that are written. */
  readonly level: Level;
  /** Share of requests that count as `info`, 0 to 1; the others are `debug`, and those with a 5xx `warn`. */
  readonly requestShare: number;
}

export type WriteEvent = (level: Level, event: Observation) => void;

export function createLog({ level, requestShare }: LogOptions, write: WriteEvent): Observe {
  const loudest = LEVELS.indexOf(level);
  const debugs = LEVELS.indexOf('debug') <= loudest;
  // Evenly, every so many requests, instead of by chance: no random number for each, and none is missed at 1.
  let due = 0;
  return (event) => {
    if (event.type === 'request' && event.status < 500) {
      due += requestShare;
      if (due >= 1) {
        due -= 1;
        if (LEVELS.indexOf('info') <= loudest) write('info', event);
      } else if (debugs) write('debug', event);
      return;
    }
    const own = levelOf(event);
    if (own !== 'silent' && LEVELS.indexOf(own) <= loudest) write(own, event);
  };
}
