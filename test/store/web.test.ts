// A web server as a store: a real nginx with its WebDAV module.
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/open-store.ts';
import { StoreError } from '../../src/store/store.ts';
import { freePort, nginxSuite } from '../support/nginx.ts';
import { startWebDav, type WebDav } from '../support/web-dav.ts';
import { testContract } from './contract.ts';

const test = nginxSuite('store/web');
const AUTHORIZATION = 'Bearer of-a-test';
let server: WebDav;
test.before(async () => {
  server = await startWebDav(AUTHORIZATION);
});
test.after(() => server?.stop());
testContract(test, {
  open: (name) => openStore(`${server.origin}/${name}`, AUTHORIZATION),
  keepsConditions: false,
});

test('a server that asks for authorization is told it, and what it says without it is told', async () => {
  const signal = new AbortController().signal;
  const without = await openStore(`${server.origin}/denied`, '');
  const failure = await without
    .putPart('0'.repeat(64), Buffer.from('x'), signal)
    .catch((error: unknown) => error);
  assert.instance(failure, StoreError);
  assert.is(
    (failure as Error).message,
    `${server.origin}/denied answers 401 for part ${'0'.repeat(64)}: the credentials do not allow it`,
  );
  const nobody = `http://127.0.0.1:${await freePort()}/x`;
  const gone = await openStore(nobody, '');
  const refused = await gone.readPointer(undefined, signal).catch((error: unknown) => error);
  assert.is((refused as Error).message, `${nobody}: ECONNREFUSED`);
});

test.run();
