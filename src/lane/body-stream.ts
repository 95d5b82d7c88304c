// The rest of a body that a lane sends in parts: an async iterable, with credit going back as parts are taken,
// so that a slow reader holds up only its own statement.
import type { GatewayError } from '../base/errors.ts';

export interface BodyStream {
  readonly parts: AsyncIterable<Uint8Array>;
  push(part: Uint8Array): void;
  end(): void;
  fail(error: GatewayError): void;
  /** Whether the reader has taken all that came: the lane is to blame if nothing more comes. */
  readonly drained: boolean;
}

export interface BodyStreamEvents {
  /** So many bytes were taken. */
  readonly onTaken: (bytes: number) => void;
  /** The reader left before the end. */
  readonly onLeft: () => void;
}

export function createBodyStream(events: BodyStreamEvents): BodyStream {
  const waiting: Uint8Array[] = [];
  let finished: 'no' | 'yes' | GatewayError = 'no';
  let left = false;
  let wake: (() => void) | undefined;
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  const leave = (): void => {
    if (left || finished !== 'no') return;
    left = true;
    waiting.length = 0;
    events.onLeft();
  };

  async function* parts(): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const part = waiting.shift();
        if (part !== undefined) {
          events.onTaken(part.byteLength);
          yield part;
        } else if (finished === 'yes') return;
        else if (finished !== 'no') throw finished;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      leave();
    }
  }
  const reader = parts();

  return {
    parts: {
      [Symbol.asyncIterator]: () => ({
        next: () => reader.next(),
        // A reader may leave before it has begun, where a generator's own `finally` does not run.
        return: async () => {
          leave();
          notify();
          await reader.return();
          return { done: true, value: undefined };
        },
      }),
    },
    push(part) {
      if (left) return;
      waiting.push(part);
      notify();
    },
    end() {
      if (finished === 'no') finished = 'yes';
      notify();
    },
    fail(error) {
      if (finished === 'no') finished = error;
      notify();
    },
    get drained() {
      return waiting.length === 0;
    },
  };
}
