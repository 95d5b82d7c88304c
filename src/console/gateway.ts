// Asks the gateway: statements, the listing, descriptions. Bounded in bytes, and stoppable. Touches no element.
import { bodyOf, type Query, requestOf } from './place.ts';

export interface Listed {
  readonly name: string;
  readonly chain_id: number;
  readonly table_id: string;
  readonly created_at: number;
  readonly row_count: number;
  readonly column_count: number;
  /** Its rows are in a distributed engine. */
  readonly remote?: boolean;
}
export interface Listing {
  readonly snapshot: string;
  readonly chains: readonly number[];
  readonly total: number;
  readonly tables: readonly Listed[];
  readonly next?: string;
}
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly constraints?: readonly string[];
}
export interface Description {
  readonly name: string;
  readonly image?: string;
  readonly animation_url?: string;
  readonly attributes: readonly { readonly trait_type: string; readonly value: number }[];
  readonly schema: { readonly columns: readonly Column[]; readonly table_constraints?: readonly string[] };
}

export type Outcome =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly bytes: number;
      /** Whether the rest was not read. */
      readonly cut: boolean;
      readonly ms: number;
      readonly headers: Headers;
      /** The one that was read, where the gateway tells. */
      readonly snapshot: string | undefined;
      readonly status: number;
    }
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly hint: string | undefined;
      readonly status: number;
      readonly ms: number;
    }
  | { readonly kind: 'stopped'; readonly ms: number };

/** The snapshot that was served last, as far as the gateway has told, and when it was made by this clock. */
export interface SnapshotSeen {
  readonly id: string;
  readonly createdMs: number | undefined;
}
let onSeen: (seen: SnapshotSeen) => void = () => {};
/** @param listener is told at every answer that names one */
export function watchSnapshots(listener: (seen: SnapshotSeen) => void): void {
  onSeen = listener;
}

/** `000012-3f9a1c; age=3; blocks="1:19000000"` */
function noteSnapshot(headers: Headers): string | undefined {
  const [, id, age] = /^([\w-]+)(?:; age=(\d+))?/.exec(headers.get('tablegate-snapshot') ?? '') ?? [];
  if (id === undefined) return undefined;
  onSeen({ id, createdMs: age === undefined ? undefined : Date.now() - Number(age) * 1000 });
  return id;
}

/** More of an answer is not read: nobody looks through it in a page. */
export const MAX_ANSWER_BYTES = 16_000_000;

const BASE_PATH = document.documentElement.dataset['basePath'] ?? '/api/v1';

/** Beside the page's own address, so that the page also works behind a proxy's path. */
export const BASE = new URL(`.${BASE_PATH}`, new URL('.', location.href)).href.replace(/\/$/, '');

/** Whether an address that the gateway tells is of the gateway itself, under whatever public name. */
export function isOwn(address: string, path: string): boolean {
  return address.endsWith(`${BASE_PATH}${path}`);
}

export async function runQuery(query: Query, signal: AbortSignal): Promise<Outcome> {
  const { url, body } = requestOf(BASE, query);
  return send(url, body, signal);
}

/** @param body JSON; undefined: a GET */
export async function send(url: string, body: string | undefined, signal: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  const elapsed = (): number => performance.now() - started;
  const leave = new AbortController();
  const request: RequestInit = {
    // What the gateway takes is what is to be seen, not what the browser kept.
    cache: 'no-store',
    signal: AbortSignal.any([signal, leave.signal]),
    ...(body === undefined ? {} : { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }),
  };
  try {
    const response = await fetch(url, request);
    const { status, headers } = response;
    const { text, bytes, cut } = await readText(response);
    if (cut) leave.abort();
    const nothing = status === 404 && text === '';
    const snapshot = noteSnapshot(headers);
    if (response.ok || nothing)
      return { kind: 'answer', text, bytes, cut, ms: elapsed(), headers, snapshot, status };
    return { kind: 'failed', ...failureOf(text, response), status, ms: elapsed() };
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped', ms: elapsed() };
    const message =
      error instanceof TypeError
        ? 'The answer did not arrive whole: the gateway cannot be reached, or it gave up on the statement half-way.'
        : String(error);
    return { kind: 'failed', code: 'unreachable', message, hint: undefined, status: 0, ms: elapsed() };
  }
}

export interface Fetched {
  readonly file: Blob;
  /** Where the gateway gives the file one. */
  readonly name: string | undefined;
}

/**
 * The whole answer as a file.
 * @param accept a media type; undefined: JSON in the query's own form
 * @throws Error with a message for people
 */
export async function fetchAs(query: Query, accept: string | undefined): Promise<Fetched> {
  // A format that is given wins over Accept: then there must be none.
  const plain = { ...query, format: 'objects', extract: false, unwrap: false } as const;
  const { url, body } = requestOf(BASE, accept === undefined ? query : plain);
  const headers = {
    ...(accept === undefined ? {} : { Accept: accept }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const sent = accept === undefined ? body : bodyOf(plain, false);
  try {
    const response = await fetch(
      url,
      body === undefined ? { headers } : { method: 'POST', headers, body: sent ?? '' },
    );
    if (!response.ok) throw new Error(textOf(failureOf(await response.text(), response)));
    const name = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    return { file: await response.blob(), name };
  } catch (error) {
    throw error instanceof TypeError ? new Error('The answer did not arrive whole.') : error;
  }
}

async function readText(
  response: Response,
): Promise<{ readonly text: string; readonly bytes: number; readonly cut: boolean }> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    parts.push(decoder.decode(value, { stream: true }));
    if (bytes > MAX_ANSWER_BYTES) return { text: parts.join(''), bytes, cut: true };
  }
  parts.push(decoder.decode());
  return { text: parts.join(''), bytes, cut: false };
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

function failureOf(text: string, response: Response): Failure {
  try {
    const { code, message, hint } = JSON.parse(text) as { readonly [member: string]: unknown };
    if (typeof message === 'string')
      return {
        code: String(code ?? response.status),
        message,
        hint: typeof hint === 'string' ? hint : undefined,
      };
  } catch {
    // A proxy's page, or nothing.
  }
  return {
    code: String(response.status),
    message: `The gateway answered ${response.status} ${response.statusText}.`,
    hint: undefined,
  };
}

function textOf({ message, hint }: Failure): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

/** @throws Error with a message for people */
async function readJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(`${BASE}${path}`, signal === undefined ? {} : { signal });
  noteSnapshot(response.headers);
  if (response.status === 404) throw new Error('There is no such table in the snapshot that is served.');
  const text = await response.text();
  if (!response.ok) throw new Error(textOf(failureOf(text, response)));
  return JSON.parse(text) as T;
}

export interface ListingRequest {
  readonly chain: string;
  readonly search: string;
  readonly limit: number;
  readonly after?: string;
}

export function listTables(request: ListingRequest, signal?: AbortSignal): Promise<Listing> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) if (value !== '') search.set(name, String(value));
  return readJson<Listing>(`/tables?${search}`, signal);
}

const descriptions = new Map<string, Promise<Description>>();
const MAX_DESCRIPTIONS = 500;

/** Kept until {@link forgetDescriptions}: descriptions change with the snapshot only. */
export function describeTable(chainId: string, tableId: string): Promise<Description> {
  const path = `/tables/${chainId}/${tableId}`;
  const kept = descriptions.get(path);
  if (kept !== undefined) return kept;
  const asked = readJson<Description>(path);
  if (descriptions.size >= MAX_DESCRIPTIONS) descriptions.clear();
  descriptions.set(path, asked);
  asked.catch(() => descriptions.delete(path));
  return asked;
}

export function forgetDescriptions(): void {
  descriptions.clear();
}
