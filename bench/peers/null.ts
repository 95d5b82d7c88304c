// A server that does nothing: for every part of a request that arrives it sends the same prepared bytes, without
// looking at it. What a load generator gets out of it is the most that it can show of any target on this machine.
import { type AddressInfo, createServer } from 'node:net';

process.once('message', (body: string) => {
  const bytes = Buffer.from(body, 'base64');
  const answer = Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`,
      'latin1',
    ),
    bytes,
  ]);
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('data', () => socket.write(answer));
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
process.on('disconnect', () => process.exit(0));
