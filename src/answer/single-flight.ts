// One run for all who ask the same at the same time. Those who leave do not stop it while others wait; when
// the last one has left, it is stopped.
import { type Abort, Aborter } from '../base/abort.ts';

export interface SingleFlight<T> {
  /**
   * Joins the run of this key, or starts one.
   * @param start gets a signal that aborts when nobody waits any more.
   * @param signal of this caller; when it aborts, only this caller's promise rejects (with the signal's reason).
   */
  join(key: string, signal: Abort | undefined, start: (signal: Abort) => Promise<T>): Promise<T>;
  readonly running: number;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly aborter: Aborter;
  waiting: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  const take = (key: string, start: (signal: Abort) => Promise<T>): Flight<T> => {
    const running = flights.get(key);
    if (running !== undefined) return running;
    const aborter = new Aborter();
    const flight: Flight<T> = { result: start(aborter), aborter, waiting: 0 };
    flights.set(key, flight);
    const ended = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(ended, ended);
    return flight;
  };

  return {
    join(key, signal, start) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const flight = take(key, start);
      flight.waiting += 1;
      const leave = (): void => {
        flight.waiting -= 1;
        if (flight.waiting > 0) return;
        // Whoever comes next must not join a run that is being stopped.
        if (flights.get(key) === flight) flights.delete(key);
        flight.aborter.abort(signal?.reason);
      };
      if (signal === undefined) return flight.result;
      return new Promise<T>((resolve, reject) => {
        const onAbort = (): void => {
          reject(signal.reason);
          leave();
        };
        signal.addEventListener('abort', onAbort);
        flight.result.then(
          (value) => {
            signal.removeEventListener('abort', onAbort);
            resolve(value);
          },
          (error: unknown) => {
            signal.removeEventListener('abort', onAbort);
            reject(error);
          },
        );
      });
    },
    get running() {
      return flights.size;
    },
  };
}
