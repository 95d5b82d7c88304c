// What a route gives back: status, headers of its own and a body. respond.ts puts it on the wire.
import type { RunTimes } from '../base/observe.ts';

export interface Answer {
  readonly status: number;
  /** Name, value, name, value: besides those that every answer has. */
  readonly headers: readonly string[];
  /** Empty where there is none. */
  readonly body: Uint8Array | string;
  /** More of the body, in parts; see wire/protocol.ts `Answered`. */
  readonly rest?: AsyncIterable<Uint8Array> | undefined;
  /** Our code where it is an error, for the log. */
  readonly code?: string;
  /** Id of the snapshot that it was made of, where it was. */
  readonly snapshot?: string | undefined;
  /** Where its rows came from, and what they took where something was run: for log, metrics and Server-Timing. */
  readonly cache?: 'hit' | 'miss' | 'shared';
  readonly times?: RunTimes | undefined;
}

export const JSON_TYPE: readonly string[] = ['Content-Type', 'application/json'];

export const NO_HEADERS: readonly string[] = [];

/** 404 of a row, table or receipt: an empty body, as in the reference. */
export const NOTHING_FOUND: Answer = { status: 404, headers: NO_HEADERS, body: '', code: 'nothing-found' };

export function jsonAnswer(body: Uint8Array | string, headers: readonly string[] = JSON_TYPE): Answer {
  return { status: 200, headers, body };
}
