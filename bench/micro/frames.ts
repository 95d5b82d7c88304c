// The way to a lane and back: frames over a Unix socket between two processes, without what a lane does.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFrameWriter } from '../../src/wire/frame-writer.ts';
import { createFrameReader, FRAME, frame, jsonFrame } from '../../src/wire/frames.ts';
import { start, untilReady } from '../processes.ts';
import type { Part } from './part.ts';

const JOB = {
  kind: 'query',
  shape: 'select id , name , image , owner from rigs_31337_2 where id = ?i and minted_at < ?i',
  literals: [
    { kind: 'integer', text: '1234' },
    { kind: 'integer', text: '2000000017' },
  ],
  output: { format: 'objects', extract: false, unwrap: false },
  limits: { deadlineMs: 10_000, maxRows: 5_000_000, maxBytes: 1_073_741_824 },
};
const IN_FLIGHT = 64;

export const frames: Part = {
  group: 'frames',
  open: async () => {
    const path = join(tmpdir(), `tablegate-bench-${randomUUID()}.sock`);
    const echo = start({
      name: 'echo',
      command: process.execPath,
      args: ['--import', 'tsx', join(import.meta.dirname, 'echo-process.ts'), path],
      messages: true,
    });
    let ready = false;
    echo.child.once('message', () => {
      ready = true;
    });
    await untilReady(echo, () => ready);
    const socket = connect(path);
    await once(socket, 'connect');
    const waiting = new Map<number, () => void>();
    let nextId = 1;
    socket.on(
      'data',
      createFrameReader(({ id }) => {
        const resolve = waiting.get(id);
        waiting.delete(id);
        resolve?.();
      }),
    );
    const writer = createFrameWriter(socket);
    const ask = (bytes: (id: number) => Buffer): Promise<void> =>
      new Promise((resolve) => {
        const id = nextId++;
        waiting.set(id, resolve);
        writer.send(bytes(id));
      });
    const megabytes = Buffer.alloc(4);
    megabytes.writeUInt32LE(10_000_000);
    return {
      tasks: [
        {
          name: 'a job there and a reply back',
          repeat: 10,
          run: () => ask((id) => jsonFrame(FRAME.run, id, JOB)),
        },
        {
          name: `${IN_FLIGHT} jobs at once`,
          run: () =>
            Promise.all(Array.from({ length: IN_FLIGHT }, () => ask((id) => jsonFrame(FRAME.run, id, JOB)))),
        },
        { name: 'a reply of 10 MB', run: () => ask((id) => frame(FRAME.ping, id, megabytes)) },
      ],
      async close() {
        socket.destroy();
        await echo.stop();
        rmSync(path, { force: true });
      },
    };
  },
};
