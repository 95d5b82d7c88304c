// Statements by grammar and by mutation: each is answered in time, none breaks anything or learns of the inside.

import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { campaign, SEED } from './campaign.ts';
import { statement } from './statements.ts';
import { type Answer, startTarget, type Target } from './target.ts';

let target: Target;
test.before(async () => {
  target = await startTarget();
});
test.after(() => target.stop());

interface Sent {
  readonly text: string;
  readonly accept: string;
  readonly post: boolean;
}

const ACCEPTS = [
  '*/*',
  'text/csv',
  'application/x-ndjson',
  'application/vnd.apache.arrow.stream',
  'application/vnd.apache.parquet',
];

async function send({ text, accept, post }: Sent): Promise<Answer> {
  const before = performance.now();
  // A lone surrogate has no form on the wire.
  const wellFormed = text.toWellFormed();
  const url = `${target.gateway.url}/query`;
  const response = await (post
    ? fetch(url, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json' },
        body: JSON.stringify({ statement: wellFormed }),
      })
    : fetch(`${url}?statement=${encodeURIComponent(wellFormed)}`, { headers: { accept } }));
  const body = await response.text();
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body, ms: performance.now() - before };
}

const sent: fc.Arbitrary<Sent> = fc.record({
  text: statement,
  accept: fc.oneof({ weight: 6, arbitrary: fc.constant('*/*') }, fc.constantFrom(...ACCEPTS)),
  post: fc.boolean(),
});

test(`generated and mutated statements (seed ${SEED})`, async () => {
  const failures = await campaign(target, sent, async (input) => {
    try {
      return target.judge(input.text, await send(input));
    } catch (error) {
      return `no answer: ${String(error)} ${error instanceof Error ? String(error.cause) : ''}`;
    }
  });
  assert.equal([...failures, ...target.aftermath()], []);
  assert.ok((target.counts.get('200') ?? 0) > 20, 'some of them are answered');
});

test.run();
