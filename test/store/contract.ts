// What every kind of store must do, tried on a real one.
import { createHash, randomBytes } from 'node:crypto';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchPart } from '../../src/store/part.ts';
import { type Store, type StoredPointer, StoreError } from '../../src/store/store.ts';

export interface ContractOptions {
  /** A place that nobody used, below the given name. */
  readonly open: (name: string) => Promise<Store>;
  /** Of several who write the pointer at the same time, whether exactly one does. */
  readonly keepsConditions: boolean;
}

export function testContract<Context>(test: Test<Context>, { open, keepsConditions }: ContractOptions): void {
  const signal = new AbortController().signal;
  const part = (size: number): { readonly name: string; readonly bytes: Buffer } => {
    const bytes = randomBytes(size);
    return { name: createHash('sha256').update(bytes).digest('hex'), bytes };
  };
  const read = async (store: Store): Promise<StoredPointer> => {
    const found = await store.readPointer(undefined, signal);
    if (typeof found === 'string') throw new Error(`the pointer is ${found}`);
    return found;
  };

  test('the pointer is written only over the one that was read', async () => {
    const store = await open('pointer');
    assert.is(await store.readPointer(undefined, signal), 'absent');
    assert.is(await store.writePointer('{"n":1}', undefined, signal), 'written');
    const first = await read(store);
    assert.is(first.text, '{"n":1}');
    assert.is(await store.writePointer('{"n":9}', undefined, signal), 'taken');
    assert.is(await store.writePointer('{"n":2}', first, signal), 'written');
    const second = await read(store);
    assert.is(second.text, '{"n":2}');
    assert.is(await store.writePointer('{"n":3}', first, signal), 'taken');
    assert.is((await read(store)).text, '{"n":2}');
  });

  test('a tag says that nothing has changed, and never that of what has', async () => {
    const store = await open('tag');
    await store.writePointer('{"n":1}', undefined, signal);
    // As soon as it can be relied on: where it is made of times, that is after two seconds.
    let found = await read(store);
    while (!found.isSettled) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      found = await read(store);
    }
    assert.type(found.tag, 'string');
    assert.is(await store.readPointer(found.tag, signal), 'unchanged');
    await store.writePointer('{"n":2}', found, signal);
    const now = await store.readPointer(found.tag, signal);
    assert.is((now as StoredPointer).text, '{"n":2}');
  });

  test('of many who write it at the same time one does', async () => {
    const store = await open('race');
    const counts: number[] = [];
    let before: StoredPointer | undefined;
    for (let round = 0; round < 5; round++) {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) => store.writePointer(`{"n":${round * 10 + i}}`, before, signal)),
      );
      counts.push(results.filter((each) => each === 'written').length);
      before = await read(store);
    }
    if (keepsConditions) assert.equal(counts, [1, 1, 1, 1, 1]);
    else
      assert.ok(
        counts.every((count) => count >= 1),
        'where conditions are not kept, the last one counts',
      );
  });

  test('parts come as they were put, from any byte on; they are listed and removed', async () => {
    const store = await open('parts');
    const { name, bytes } = part(300_000);
    const other = part(0);
    assert.is(await store.hasPart(name, signal), false);
    await store.putPart(name, bytes, signal);
    await store.putPart(name, bytes, signal);
    await store.putPart(other.name, other.bytes, signal);
    assert.is(await store.hasPart(name, signal), true);
    assert.ok((await fetchPart(store, name, 300_000, signal)).bytes.equals(bytes));
    assert.is((await fetchPart(store, other.name, 0, signal)).bytes.length, 0);
    const { from, chunks } = await store.openPart(name, 123_456, signal);
    assert.is(from, 123_456);
    const got: Uint8Array[] = [];
    for await (const chunk of chunks) got.push(chunk);
    assert.ok(Buffer.concat(got).equals(bytes.subarray(from)));
    if (store.listParts !== undefined) {
      const listed = await store.listParts(signal);
      assert.equal(listed.map((each) => each.name).sort(), [name, other.name].sort());
      for (const { changedMs } of listed) assert.ok(Math.abs(changedMs - Date.now()) < 600_000);
    }
    await store.removePart(name, signal);
    await store.removePart(name, signal);
    assert.is(await store.hasPart(name, signal), false);
    const failure = await fetchPart(store, name, 300_000, signal).catch((error: unknown) => error);
    assert.instance(failure, StoreError);
    assert.match((failure as Error).message, name);
  });
}
