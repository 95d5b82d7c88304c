// Frames from a stream socket. Whoever keeps something of a frame copies it: large chunks are given back at once.
import type { Socket } from 'node:net';
import { release } from '../base/release.ts';
import { createFrameReader, type Frame } from './frames.ts';

/** Chunks of the socket from which on their memory is worth a call to give it back. */
const LARGE_BYTES = 32 * 1024;

/** @param onBroken called once, with a reason for the log: what comes after bytes that are no frames means nothing */
export function readFrames(
  socket: Socket,
  onFrame: (frame: Frame) => void,
  onBroken: (why: string) => void,
): void {
  const read = createFrameReader(onFrame);
  let broken = false;
  socket.on('data', (chunk: Buffer) => {
    if (broken) return;
    try {
      read(chunk);
    } catch (error) {
      broken = true;
      onBroken(error instanceof Error ? error.message : String(error));
    }
    if (chunk.byteLength >= LARGE_BYTES) release(chunk);
  });
}
