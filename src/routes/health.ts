// GET /health: 200 with an empty body when a statement can be answered now, proved by running one.
import type { Ask, Engine } from '../answer/engine.ts';
import { GatewayError } from '../errors.ts';
import { type Answer, NO_HEADERS } from '../http/answer.ts';
import type { Route } from '../http/router.ts';

const HEALTHY: Answer = { status: 200, headers: NO_HEADERS, body: '' };

export interface HealthContext {
  readonly engine: Engine;
  readonly ask: Ask;
}

export function healthRoute({ engine, ask }: HealthContext): Route {
  // However often it is asked, one proof runs at a time: a health check must not be a way to load the engine.
  let proving: Promise<unknown> | undefined;
  const prove = (requestId: string): Promise<unknown> => {
    proving ??= ask({ kind: 'probe' }, { requestId }).finally(() => {
      proving = undefined;
    });
    return proving;
  };
  return {
    word: 'health',
    segments: 0,
    limited: false,
    handlers: {
      GET: async ({ requestId }) => {
        if (!engine.healthy()) throw notReady();
        await prove(requestId).catch((error: unknown) => {
          throw notReady(error);
        });
        return HEALTHY;
      },
    },
  };
}

function notReady(cause?: unknown): GatewayError {
  return new GatewayError('not-ready', 'No statement can be answered now.', { cause });
}
