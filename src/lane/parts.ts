// Answers that a lane sends in parts. The first part is held back until nothing is beside it in its process that may end
// that: until then the statement can be run again, and afterwards its client would see a cut connection.
import { GatewayError } from '../base/errors.ts';
import { monotonicMs } from '../base/monotonic.ts';
import type { Answered, Failed } from '../wire/protocol.ts';
import { createBodyStream } from './body-stream.ts';
import { type Entry, lossesOf, ranMs } from './entry.ts';

export interface PartsEvents {
  /** So many bytes were taken: as many more may be made. */
  readonly credit: (bytes: number) => void;
  /** Its reader left. */
  readonly left: () => void;
}

/** @param head of the answer @param body its first part */
export function beginParts(entry: Entry, head: object, body: string | Uint8Array, events: PartsEvents): void {
  entry.lastActivity = monotonicMs();
  const stream = createBodyStream({
    onTaken: (bytes) => {
      entry.lastActivity = monotonicMs();
      events.credit(bytes);
    },
    onLeft: events.left,
  });
  entry.stream = stream;
  entry.held = () => {
    entry.held = undefined;
    // The first part counts against the first credit like every other.
    events.credit(body.length);
    if (entry.abandoned) return;
    entry.request.onReply(
      Object.assign(head as Answered, { body, rest: stream.parts, unread: () => !stream.drained }),
      ranMs(entry, monotonicMs()),
    );
  };
}

/**
 * Hands on the first parts that wait, unless something that is not answered to its end may end the process. That does
 * not wait for itself: whoever sent it decides where else its answer is to come from.
 */
export function handOn(entries: ReadonlyMap<number, Entry>): void {
  let waits = false;
  let isSafe = true;
  for (const { held, request } of entries.values()) {
    waits ||= held !== undefined;
    isSafe &&= request.unproven !== true;
  }
  if (!waits) return;
  for (const { held, request } of [...entries.values()]) if (isSafe || request.unproven === true) held?.();
}

/** All of it is here, and nothing can cut it any more; or it failed. */
export function endParts(entry: Entry, end: Failed | { readonly ok: true }): void {
  const { stream, held, abandoned, request } = entry;
  if (end.ok) {
    held?.();
    stream?.end();
    if (!entry.abandoned) request.onWhole?.();
  } else if (held === undefined) stream?.fail(new GatewayError(end.code, end.message));
  // Nobody has seen anything of it: it is as if it had failed before its first part, and nothing ended with it.
  else if (!abandoned) request.onReply(end, ranMs(entry, monotonicMs()));
}

/** Out of the entries, before any is given back: what is lost must not be handed on as what was beside it goes. */
export function takeLost(entries: Map<number, Entry>, withUnsent: boolean): readonly Entry[] {
  const lost = [...entries].filter(([, { sent }]) => sent || withUnsent);
  for (const [id] of lost) entries.delete(id);
  return lost.map(([, entry]) => entry);
}

/** All that was lost with its process, in order: what was being sent is cut, the rest is whoever's who sent it. */
export function giveBack(lost: readonly Entry[], why: string, now: number): void {
  const losses = lossesOf(lost);
  for (const [i, entry] of lost.entries()) {
    const { stream, held, abandoned, request } = entry;
    const loss = losses[i] ?? 'queued';
    if (stream !== undefined && held === undefined) {
      stream.fail(new GatewayError('not-ready', 'the engine process of this answer ended'));
      request.onCut?.(loss, why);
    } else if (!abandoned || entry.loss !== undefined) request.onLost(loss, why, ranMs(entry, now));
  }
}
