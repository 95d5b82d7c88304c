// Answers that the kernel has taken whole and whose clients take nothing: connections on this machine, and the kernel's
// own tables of them, written by hand where a moment is needed that no test can wait for.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressOf, createUntaken, queuesOf } from '../../src/http/untaken.ts';
import { until } from '../lane/support.ts';

const PATIENCE_MS = 60_000;
const LARGE = 1024 * 1024;

/** A connection: its end here, and that of its client. */
async function connected(host: string): Promise<{ server: Server; here: Socket; there: Socket }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const there = connect((server.address() as AddressInfo).port, host === '::' ? '::1' : '127.0.0.1');
  const [here] = (await once(server, 'connection')) as [Socket];
  here.on('error', () => {});
  there.on('error', () => {});
  return { server, here, there };
}
function end({ server, here, there }: Awaited<ReturnType<typeof connected>>): void {
  here.destroy();
  there.destroy();
  server.close();
}

if (process.platform === 'linux')
  for (const host of ['127.0.0.1', '::'])
    test(`a client that takes nothing of what the kernel has for it is cut; listening on ${host}`, async () => {
      const pair = await connected(host);
      const cut: (readonly [string, number])[] = [];
      const untaken = createUntaken({ stallMs: 100, onCut: (...given) => cut.push(given) });
      try {
        pair.there.pause();
        pair.here.write(Buffer.alloc(LARGE));
        untaken.handed(pair.here, 'client', LARGE);
        await until(() => pair.here.destroyed, PATIENCE_MS);
        assert.is(cut.length, 1);
        assert.is(cut[0]?.[0], 'client');
        assert.ok((cut[0]?.[1] ?? 0) > 0 && (cut[0]?.[1] ?? 0) <= LARGE, String(cut));
      } finally {
        untaken.close();
        end(pair);
      }
    });
else process.stdout.write('SKIPPED the tables of connections: only Linux has them\n');

/** So little that the kernel takes it at once. */
const SMALL = 64 * 1024;

if (process.platform === 'linux')
  test('a connection that is to be closed after its answer is watched until the answer is taken', async () => {
    const pair = await connected('127.0.0.1');
    const cut: number[] = [];
    const untaken = createUntaken({ stallMs: 100, onCut: (_, bytes) => cut.push(bytes) });
    try {
      let taken = 0;
      pair.there.on('data', (chunk: Buffer) => {
        taken += chunk.length;
      });
      pair.there.pause();
      pair.here.write(Buffer.alloc(LARGE));
      untaken.handed(pair.here, 'client', LARGE);
      pair.here.destroySoon();
      await until(() => pair.here.destroyed, PATIENCE_MS);
      assert.is(cut.length, 1);
      // The kernel has nothing more for it.
      pair.there.resume();
      await until(() => pair.there.closed, PATIENCE_MS);
      assert.ok(taken < LARGE, String(taken));
    } finally {
      untaken.close();
      end(pair);
    }
  });

for (const clientCloses of [true, false])
  test(`whoever takes all of it sees the end, and ${clientCloses ? 'may close first' : 'the connection is closed'}`, async () => {
    const pair = await connected('127.0.0.1');
    const cut: number[] = [];
    const untaken = createUntaken({
      stallMs: clientCloses ? 3_600_000 : 60,
      onCut: (_, bytes) => cut.push(bytes),
    });
    try {
      pair.there.allowHalfOpen = !clientCloses;
      let taken = 0;
      pair.there.on('data', (chunk: Buffer) => {
        taken += chunk.length;
      });
      pair.here.resume();
      pair.here.write(Buffer.alloc(SMALL));
      untaken.handed(pair.here, 'client', SMALL);
      pair.here.destroySoon();
      await once(pair.there, 'end');
      assert.is(taken, SMALL);
      await until(() => pair.here.destroyed, PATIENCE_MS);
      assert.equal(cut, []);
    } finally {
      untaken.close();
      end(pair);
    }
  });

test('what is to be closed is closed with the server, and the kernel goes on to send it', async () => {
  const pair = await connected('127.0.0.1');
  const untaken = createUntaken({ stallMs: 3_600_000, onCut: () => {} });
  try {
    pair.here.write(Buffer.alloc(SMALL));
    untaken.handed(pair.here, 'client', SMALL);
    pair.here.destroySoon();
    assert.is(pair.here.destroyed, false);
    untaken.close();
    assert.is(pair.here.destroyed, true);
  } finally {
    end(pair);
  }
});

test('once the server is closed, nothing is held for a client that takes nothing', async () => {
  const pair = await connected('127.0.0.1');
  const untaken = createUntaken({ stallMs: 3_600_000, onCut: () => {} });
  try {
    pair.there.pause();
    untaken.close();
    pair.here.write(Buffer.alloc(SMALL));
    untaken.handed(pair.here, 'client', SMALL);
    pair.here.destroySoon();
    await until(() => pair.here.destroyed, PATIENCE_MS);
  } finally {
    end(pair);
  }
});

test('what is asked after the last answer of a connection is not begun, and its end is seen', async () => {
  const untaken = createUntaken({ stallMs: 3_600_000, onCut: () => {} });
  const asked: (string | undefined)[] = [];
  const server = createHttpServer((message, res) => {
    asked.push(message.url);
    res.setHeader('Connection', 'close');
    res.end(Buffer.alloc(SMALL));
    untaken.handed(message.socket, 'client', SMALL);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const there = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  try {
    there.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n');
    const [here] = (await accepted) as [Socket];
    there.resume();
    await once(there, 'end');
    assert.is(here.destroyed, false);
    const before = here.bytesRead;
    const more = 'GET /later HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5);
    there.write(more);
    await until(() => here.bytesRead === before + more.length, PATIENCE_MS);
    there.end();
    await until(() => here.destroyed, PATIENCE_MS);
    assert.equal(asked, ['/first']);
  } finally {
    untaken.close();
    there.destroy();
    server.close();
  }
});

/** A connection to look at, with so much in the kernel at each look. */
async function looked(waiting: (look: number) => number, ends: (looks: number, here: Socket) => boolean) {
  const pair = await connected('127.0.0.1');
  let looks = 0;
  const cut: number[] = [];
  const untaken = createUntaken({
    stallMs: 60,
    onCut: (_, bytes) => cut.push(bytes),
    read: async () => {
      looks += 1;
      const hex = (value: number, length: number): string =>
        value.toString(16).toUpperCase().padStart(length, '0');
      const { localPort = 0, remotePort = 0 } = pair.here;
      return `  0: 0100007F:${hex(localPort, 4)} 0100007F:${hex(remotePort, 4)} 01 ${hex(waiting(looks), 8)}:00000000 00:0\n`;
    },
  });
  try {
    untaken.handed(pair.here, 'client', LARGE);
    await until(() => ends(looks, pair.here), PATIENCE_MS);
    return { looks, cut, destroyed: pair.here.destroyed };
  } finally {
    untaken.close();
    end(pair);
  }
}

test('one who takes a little now and then is not cut, and is once that ends', async () => {
  const { looks, cut } = await looked(
    (look) => Math.max(LARGE - look, LARGE - 30),
    (_, here) => here.destroyed,
  );
  // Thirty looks are ten times as long as a stall.
  assert.ok(looks > 30, String(looks));
  assert.equal(cut, [LARGE - 30]);
});

test('who has taken all is looked at no more', async () => {
  const { looks, cut, destroyed } = await looked(
    (look) => (look < 3 ? LARGE - look : 0),
    (seen) => seen === 3,
  );
  assert.is(looks, 3);
  assert.equal(cut, []);
  assert.is(destroyed, false);
});

test('addresses are found in the tables as the kernel writes them', () => {
  assert.is(addressOf('127.0.0.1'), '0100007F');
  assert.is(addressOf('::ffff:10.1.2.3'), '0302010A');
  assert.is(addressOf('::1'), '00000000000000000000000001000000');
  assert.is(addressOf('2001:db8::5:6%eth0'), 'B80D0120000000000000000006000500');
  const tables = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:9958 0100007F:B4AB 01 000186A0:00000010 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1
  11: 0100007F:9958 0100007F:B4AC 01 00000000:00000010 00:00000000 00000000     0        0 1 1 0 20 4 30 10 -1
  sl  local_address                         remote_address                        st tx_queue rx_queue tr
   0: 0000000000000000FFFF00000100007F:9958 0000000000000000FFFF00000302010A:8320 01 00000001:00000000 00:0 0
   1: 00000000000000000000000001000000:9958 B80D0120000000000000000006000500:8320 01 0000000F:00000000 00:0 0
`;
  assert.equal(
    [...queuesOf(tables)],
    [
      ['9958 0100007F:B4AB', 100_000],
      ['9958 0302010A:8320', 1],
      ['9958 B80D0120000000000000000006000500:8320', 15],
    ],
  );
});

test.run();
