// Gives the memory of a buffer back at once. The garbage collector lets tens of megabytes of large buffers lie
// before it looks; of a body that is sent in parts that is most of what the process holds.
import { MessageChannel } from 'node:worker_threads';

/** Since Node.js 22. */
const transferable = ArrayBuffer.prototype as { transfer?: (bytes: number) => ArrayBuffer };

/** Before that: what is sent to a port that is closed is dropped, and its memory with it. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();

/** @param bytes nobody reads them any more; left alone where they are only a part of their buffer */
export function release(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.byteLength) return;
  if (transferable.transfer !== undefined) transferable.transfer.call(buffer, 0);
  else nowhere.postMessage(undefined, [buffer]);
}
