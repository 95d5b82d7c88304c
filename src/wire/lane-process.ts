// The side of a lane's process on the socket that it was born with: what the front asks for, read frame by frame and
// handed to whoever runs it. What a job means, and how it is run, each kind of lane knows by itself.
import { Socket } from 'node:net';
import { ownMemoryBytes } from '../base/own-memory.ts';
import { createFrameWriter, type FrameWriter } from './frame-writer.ts';
import { createFrameReader, FRAME, type Frame, type Pong, parseJson } from './frames.ts';
import type { Job, LaneProcessSettings, LaneState, SnapshotRef } from './protocol.ts';

/** What a run frame says. */
export interface RunOrder {
  readonly job: Job;
  readonly client: string;
  /** Id of the snapshot to be read. */
  readonly snapshot: string;
  /** Nobody waits for longer; a run's own limit counts from its begin. */
  readonly waitMs: number;
  /** An answer in parts is not sent from this process: it is run again in another one, which may have to be started. */
  readonly unproven: boolean;
}

/** What a lane's process does for the front. */
export interface LaneService {
  run(id: number, order: RunOrder): void;
  /** Nobody waits for it any more. */
  cancel(id: number): void;
  /** Of a body in parts: its reader took so many bytes. */
  credit(id: number, bytes: number): void;
  /** @throws Error why it cannot, as a rejected promise does */
  open(snapshot: SnapshotRef): void | Promise<void>;
  /** No new job names another snapshot than this; the others are closed when they are done. */
  retire(keep: string): void;
  /** What it says of itself beside its memory. */
  readonly condition?: () => Omit<Pong, 'rssBytes'>;
  /** After all frames that came at once. */
  readonly afterFrames?: () => void;
  /** The front is gone, or does not want this process any more: nobody is left to answer. */
  end(): never;
}

/** Towards the front. */
export interface Front {
  readonly writer: FrameWriter;
  tell(state: LaneState): void;
}

const SOCKET_FD = 3;

export function laneSettings(): LaneProcessSettings {
  return JSON.parse(process.env['TABLEGATE_LANE'] ?? '{}') as LaneProcessSettings;
}

export function serveLane(makeService: (front: Front) => LaneService): void {
  const socket = new Socket({ fd: SOCKET_FD, readable: true, writable: true });
  const writer = createFrameWriter(socket);
  const tell = (state: LaneState): void => writer.json(FRAME.state, 0, state);
  const service = makeService({ writer, tell });

  const open = (snapshot: SnapshotRef): void => {
    const { id } = snapshot;
    const serving = (): void => tell({ state: 'serving', snapshot: id });
    const failed = (error: unknown): void =>
      tell({ state: 'failed', snapshot: id, why: error instanceof Error ? error.message : String(error) });
    try {
      const opening = service.open(snapshot);
      // At once where it can be: what is sent next may be answered before a promise is kept.
      if (opening === undefined) serving();
      else opening.then(serving).catch(failed);
    } catch (error) {
      failed(error);
    }
  };

  const handle = ({ kind, id, payload }: Frame): void => {
    switch (kind) {
      case FRAME.run:
        service.run(id, parseJson(payload) as RunOrder);
        return;
      case FRAME.cancel:
        service.cancel(id);
        return;
      case FRAME.credit:
        service.credit(id, payload.readUInt32LE(0));
        return;
      case FRAME.open:
        open(parseJson(payload) as SnapshotRef);
        return;
      case FRAME.retire:
        service.retire((parseJson(payload) as { readonly keep: string }).keep);
        return;
      case FRAME.ping:
        writer.json(FRAME.pong, 0, {
          rssBytes: ownMemoryBytes(),
          ...service.condition?.(),
        } satisfies Pong);
        return;
    }
  };

  const read = createFrameReader(handle);
  socket.on('data', (chunk: Buffer) => {
    read(chunk);
    service.afterFrames?.();
  });
  const end = (): never => service.end();
  socket.on('end', end).on('close', end).on('error', end);
}
