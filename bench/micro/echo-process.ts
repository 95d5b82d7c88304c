// The other end of the frames' micro benchmark: parses each job as a lane does, replies with a small body, or
// with as many bytes as a ping's number says.
import { createServer } from 'node:net';
import { createFrameWriter } from '../../src/wire/frame-writer.ts';
import { createFrameReader, FRAME, parseJson } from '../../src/wire/frames.ts';

const body = Buffer.from('[{"id":1234,"name":"Rig #1234","image":"ipfs://bafybeif/1234/image.png"}]');
const head = {
  ok: true,
  rows: 1,
  columns: 3,
  deterministic: true,
  planMs: 0.01,
  engineMs: 0.1,
  encodeMs: 0.01,
};

createServer((socket) => {
  const writer = createFrameWriter(socket);
  const read = createFrameReader(({ kind, id, payload }) => {
    const bytes = kind === FRAME.ping ? Buffer.alloc(payload.readUInt32LE(0), 65) : body;
    if (kind === FRAME.run) parseJson(payload);
    writer.reply(id, head, bytes);
  });
  socket.on('data', read);
  socket.on('error', () => {});
}).listen(process.argv[2], () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
