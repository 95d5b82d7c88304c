// GET /health: 200 with an empty body when a statement can be answered now, proved by running one. What data is
// served, and whether it is kept fresh, stands in headers, and in the body where `?verbose` asks for it.
import type { Ask, Engine } from '../answer/engine.ts';
import { GatewayError } from '../base/errors.ts';
import { type Answer, JSON_TYPE, NO_HEADERS } from '../http/answer.ts';
import { readParameters } from '../http/request.ts';
import type { Route } from '../http/router.ts';
import type { FollowReport, Serving } from './serving.ts';

export interface HealthContext {
  readonly engine: Engine;
  readonly ask: Ask;
  readonly serving: () => Serving;
  readonly following: () => FollowReport;
}

export function healthRoute(context: HealthContext): Route {
  const { engine, ask } = context;
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
      GET: async ({ requestId, search }) => {
        const verbose = readParameters(search).has('verbose');
        if (!engine.healthy()) throw notReady();
        await prove(requestId).catch((error: unknown) => {
          throw notReady(error);
        });
        return healthAnswer(context.serving(), context.following(), verbose);
      },
    },
  };
}

/** Old data is no reason to take a gateway out of service: it is 200 all the same. */
function healthAnswer(serving: Serving, following: FollowReport, verbose: boolean): Answer {
  const { snapshotId, blocks, createdMs } = serving;
  const { state, source, standsBy } = following;
  const headers = state === 'none' ? NO_HEADERS : ['Tablegate-Follow', state];
  const answer: Answer = { status: 200, headers, body: '', snapshot: snapshotId };
  if (!verbose) return answer;
  const body = JSON.stringify({
    snapshot: snapshotId,
    created_at: Math.floor(createdMs / 1000),
    age_s: Math.max(0, Math.round((Date.now() - createdMs) / 1000)),
    blocks: Object.fromEntries(blocks),
    // Paths are the machine's own matter: the source's last name is enough to know it, and the log says more.
    follow: { state, source: source?.split(/[\\/]/).at(-1), problem: PROBLEMS[state], stands_by: standsBy },
  });
  return { ...answer, headers: [...headers, ...JSON_TYPE, 'Cache-Control', 'no-store'], body };
}

const PROBLEMS: { readonly [state: string]: string } = {
  failed: 'the last import failed: the log says why',
  behind: 'the source is ahead of what is served',
  silent: 'whoever follows the source says nothing any more',
};

function notReady(cause?: unknown): GatewayError {
  return new GatewayError('not-ready', 'No statement can be answered now.', { cause });
}
