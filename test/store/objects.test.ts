// An object store: a real S3 server, with signed requests and conditional writes.
import * as assert from 'uvu/assert';
import { openStore } from '../../src/store/open-store.ts';
import { StoreError } from '../../src/store/store.ts';
import { type ObjectStore, objectStoreSuite, startObjectStore } from '../support/object-store.ts';
import { inLong } from '../support/ring.ts';
import { testContract } from './contract.ts';

const test = objectStoreSuite('store/objects');
let server: ObjectStore;
const before = { ...process.env };
test.before(async () => {
  server = await startObjectStore();
  Object.assign(process.env, server.env());
});
test.after(async () => {
  process.env = before;
  await server?.stop();
});
testContract(test, {
  open: (name) => openStore(`s3://${server.bucket}/some/${name}`, ''),
  keepsConditions: true,
});

test('a wrong key, a bucket that is not there and missing credentials are told apart', async () => {
  const signal = new AbortController().signal;
  const why = async (address: string): Promise<string> => {
    const store = await openStore(address, '');
    const error: unknown = await store.readPointer(undefined, signal).catch((each: unknown) => each);
    if (!(error instanceof StoreError)) throw error;
    return error.message;
  };
  const address = `s3://${server.bucket}/x`;
  process.env['AWS_SECRET_ACCESS_KEY'] = 'another';
  assert.is(await why(address), `${address} answers 403 for current.json: the credentials do not allow it`);
  Object.assign(process.env, server.env());
  delete process.env['AWS_ACCESS_KEY_ID'];
  const missing = await openStore(address, '').catch((error: unknown) => error);
  assert.match(String(missing), 's3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  Object.assign(process.env, server.env());
});

inLong(test)('more parts than one answer lists are all listed', async () => {
  const signal = new AbortController().signal;
  const store = await openStore(`s3://${server.bucket}/many`, '');
  const names = Array.from({ length: 1_050 }, (_, i) => i.toString(16).padStart(64, '0'));
  for (let i = 0; i < names.length; i += 50)
    await Promise.all(names.slice(i, i + 50).map((name) => store.putPart(name, Buffer.from('x'), signal)));
  const listed = (await store.listParts?.(signal)) ?? [];
  assert.equal(listed.map(({ name }) => name).sort(), names);
});

test.run();
