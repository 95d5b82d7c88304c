// Bodies that a lane's process sends in parts: the first goes with its outcome, and no more are under way than the front
// has given credit for, as its readers took them.
import type { FrameWriter } from './frame-writer.ts';
import { FRAME, frame, MORE, PART_BYTES, WHOLE_BYTES } from './frames.ts';
import type { Failed, Outcome } from './protocol.ts';

/** A job's way back. Exactly one of `end` and `fail` is called, and nothing after it. */
export interface PartLine {
  /** Resolves when the next part may be made. False: nobody reads on. */
  send(outcome: Outcome, part: Uint8Array): Promise<boolean>;
  /** With the last of the body, or all of it. Resolves when it is sent, or nobody reads on. */
  end(outcome: Outcome, body: Uint8Array | string): Promise<void>;
  fail(failed: Failed): void;
  /** Nobody waits for the answer any more. */
  readonly left: boolean;
  readonly sent: boolean;
}

export interface PartLineEvents {
  /** Called once, when nobody waits any more. */
  readonly onLeft?: () => void;
  /** Its reader took something of what was sent. */
  readonly onTaken?: () => void;
}

export interface PartLines {
  /** Jobs that have not ended. */
  readonly size: number;
  open(id: number, events?: PartLineEvents): PartLine;
  /** Of a frame of the front: its reader took so many bytes. */
  credit(id: number, bytes: number): void;
  /** The same: nobody waits any more. */
  cancel(id: number): void;
}

/** Parts under way to a reader that has not taken them. */
const CREDIT_BYTES = 1024 * 1024;

interface Credit {
  bytes: number;
  left: boolean;
  more: (() => void) | undefined;
  readonly events: PartLineEvents;
}

export function createPartLines(writer: FrameWriter): PartLines {
  const credits = new Map<number, Credit>();
  return {
    get size() {
      return credits.size;
    },
    open(id, events = {}) {
      const credit: Credit = { bytes: 0, left: false, more: undefined, events };
      credits.set(id, credit);
      let sent = false;
      const sendPart = async (outcome: Outcome, part: Uint8Array): Promise<boolean> => {
        if (!sent) writer.reply(id, { ok: true, ...outcome }, part, MORE);
        else writer.send(frame(FRAME.data, id, part));
        sent = true;
        credit.bytes -= part.byteLength;
        while (credit.bytes < -CREDIT_BYTES && !credit.left)
          await new Promise<void>((resolve) => {
            credit.more = resolve;
          });
        return !credit.left;
      };
      const send = async (outcome: Outcome, body: Uint8Array): Promise<boolean> => {
        let goesOn = !credit.left;
        for (let at = 0; goesOn && at < body.byteLength; at += PART_BYTES)
          goesOn = await sendPart(outcome, body.subarray(at, at + PART_BYTES));
        return goesOn;
      };
      return {
        get left() {
          return credit.left;
        },
        get sent() {
          return sent;
        },
        send,
        async end(outcome, body) {
          if (!sent && body.length <= WHOLE_BYTES) writer.reply(id, { ok: true, ...outcome }, body);
          else {
            await send(outcome, typeof body === 'string' ? Buffer.from(body) : body);
            writer.json(FRAME.end, id, { ok: true, ...outcome });
          }
          credits.delete(id);
        },
        fail(failed) {
          credits.delete(id);
          if (sent) writer.json(FRAME.end, id, failed);
          else writer.reply(id, failed, '');
        },
      };
    },
    credit(id, bytes) {
      const credit = credits.get(id);
      if (credit === undefined) return;
      credit.bytes += bytes;
      credit.events.onTaken?.();
      credit.more?.();
    },
    cancel(id) {
      const credit = credits.get(id);
      if (credit === undefined || credit.left) return;
      credit.left = true;
      credit.more?.();
      credit.events.onLeft?.();
    },
  };
}
