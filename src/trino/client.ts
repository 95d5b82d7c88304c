// A client of Trino's HTTP protocol (https://trino.io/docs/476/develop/client-protocol.html): a statement is posted, its
// pages are asked for one by one as there is room for them, and what nobody waits for is ended there. Knows nothing of
// what is asked.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAbort } from '../base/abort.ts';

export interface TrinoAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly user: string;
  /** Empty: none is sent. */
  readonly password: string;
}

export interface TrinoColumn {
  readonly name: string;
  /** As Trino writes types: `bigint`, `varchar(10)`. */
  readonly type: string;
}

export interface TrinoPage {
  readonly columns?: readonly TrinoColumn[];
  readonly data?: readonly (readonly unknown[])[];
  readonly stats?: { readonly state?: string; readonly nodes?: number };
  /** Of the answer that it came in. */
  readonly bytes: number;
}

export interface StatementOptions {
  /** Ends the statement in the cluster, too. */
  readonly signal: AbortSignal;
  /** Who asks, for the cluster's resource groups. */
  readonly source?: string;
  /** Session properties. */
  readonly session?: Readonly<Record<string, string>>;
  /** Of one page; {@link PAGE_BYTES} without it. */
  readonly maxPageBytes?: number;
}

/** What Trino says of a statement that failed. Its message is for the log alone. */
export class TrinoError extends Error {
  /** Such as `SYNTAX_ERROR`. */
  readonly errorName: string;
  constructor(errorName: string, message: string) {
    super(`${errorName}: ${message}`);
    this.name = 'TrinoError';
    this.errorName = errorName;
  }
}

/** The cluster does not answer, or says that it cannot now. */
export class TrinoUnavailable extends Error {
  constructor(why: string, options?: ErrorOptions) {
    super(`Trino cannot be reached: ${why}`, options);
    this.name = 'TrinoUnavailable';
  }
}

/** A page is larger than what it may be. */
export class TrinoTooLarge extends Error {
  readonly maxBytes: number;
  constructor(maxBytes: number) {
    super(`an answer of Trino has more than ${maxBytes} bytes`);
    this.name = 'TrinoTooLarge';
    this.maxBytes = maxBytes;
  }
}

/** What a page may have besides rows that somebody wants; its own are of some MB, but for values that are larger. */
export const PAGE_BYTES = 16 * 1024 * 1024;
/** Trino holds a request for a page back for a second at most. */
const ANSWER_MS = 15_000;
const CANCEL_MS = 5_000;
/** Requests that nobody waits for, and whose answers say what is to be ended there; beyond so many they are cut. */
const MAX_LEFT = 64;
/** Before the first page nothing has been seen of the answer: a request may be sent again. */
const RETRY_MS = [100, 400] as const;
/** As the protocol says: try again. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

interface Answer {
  readonly id?: string;
  readonly nextUri?: string;
  readonly columns?: readonly TrinoColumn[];
  readonly data?: readonly (readonly unknown[])[];
  readonly stats?: TrinoPage['stats'];
  readonly error?: { readonly errorName?: string; readonly message?: string };
}

/**
 * Pages in order; those without rows tell that it is under way. To leave early ends the statement in the cluster.
 * @throws TrinoError, TrinoUnavailable, TrinoTooLarge; the signal's reason
 */
export async function* runStatement(
  to: TrinoAddress,
  sql: string,
  { signal, source = 'tablegate', session = {}, maxPageBytes = PAGE_BYTES }: StatementOptions,
): AsyncGenerator<TrinoPage, void, void> {
  const headers: Record<string, string> = {
    ...authorization(to),
    'X-Trino-Source': source,
    'X-Trino-Client-Info': 'tablegate',
    'Content-Type': 'text/plain; charset=utf-8',
  };
  const properties = Object.entries(session).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (properties.length > 0) headers['X-Trino-Session'] = properties.join(',');
  signal.throwIfAborted();
  let hasRows = false;
  let next: string | undefined;
  try {
    let { answer, bytes } = await tried(() => post(to, headers, sql, signal, maxPageBytes), signal, RETRY_MS);
    for (;;) {
      next = answer.nextUri === undefined ? undefined : ownUri(to, answer.nextUri);
      if (answer.error !== undefined)
        throw new TrinoError(answer.error.errorName ?? 'UNKNOWN', answer.error.message ?? '');
      signal.throwIfAborted();
      const { columns, data, stats } = answer;
      hasRows ||= data !== undefined;
      yield { bytes, ...(columns && { columns }), ...(data && { data }), ...(stats && { stats }) };
      if (next === undefined) return;
      const uri = next;
      const ask = (): Promise<Asked> => askOnce(uri, { headers: authorization(to) }, signal, maxPageBytes);
      ({ answer, bytes } = await tried(ask, signal, hasRows ? [] : RETRY_MS));
    }
  } finally {
    if (next !== undefined) void cancel(to, next);
  }
}

/** All rows of a short statement of the program's own. @throws as {@link runStatement} */
export async function allRows(
  to: TrinoAddress,
  sql: string,
  options: StatementOptions,
): Promise<{
  readonly columns: readonly TrinoColumn[];
  readonly rows: readonly (readonly unknown[])[];
}> {
  let columns: readonly TrinoColumn[] = [];
  const rows: (readonly unknown[])[] = [];
  for await (const page of runStatement(to, sql, options)) {
    columns = page.columns ?? columns;
    rows.push(...(page.data ?? []));
  }
  return { columns, rows };
}

function authorization({ user, password }: TrinoAddress): Record<string, string> {
  if (password === '') return { 'X-Trino-User': user };
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return { 'X-Trino-User': user, Authorization: `Basic ${basic}` };
}

/** Wherever an answer points: nobody else is asked, and nobody else is told the password. */
function ownUri({ url }: TrinoAddress, uri: string): string {
  const { pathname, search } = new URL(uri);
  return new URL(url).origin + pathname + search;
}

interface Asked {
  readonly answer: Answer;
  readonly bytes: number;
}

async function tried(
  ask: () => Promise<Asked>,
  signal: AbortSignal,
  retries: readonly number[],
): Promise<Asked> {
  for (const wait of retries)
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TrinoUnavailable)) throw error;
      await beforeAbort(sleep(wait), signal);
    }
  return ask();
}

let left = 0;

/**
 * The signal ends the wait and not the request: who has no answer to it does not know what to end in the cluster. It goes on
 * for as long as it may, and what it began is ended when its answer comes.
 */
async function post(
  to: TrinoAddress,
  headers: Readonly<Record<string, string>>,
  sql: string,
  signal: AbortSignal,
  maxBytes: number,
): Promise<Asked> {
  const cut = new AbortController();
  const request = askOnce(
    `${to.url}/v1/statement`,
    { method: 'POST', headers, body: sql },
    cut.signal,
    maxBytes,
  );
  try {
    return await beforeAbort(request, signal);
  } catch (error) {
    if (signal.aborted) endWhenAnswered(to, request, cut);
    throw error;
  }
}

function endWhenAnswered(to: TrinoAddress, request: Promise<Asked>, cut: AbortController): void {
  if (left >= MAX_LEFT) {
    cut.abort();
    return;
  }
  left += 1;
  void request
    .then(async ({ answer: { nextUri } }) => {
      if (nextUri !== undefined) await cancel(to, ownUri(to, nextUri));
    })
    .catch(() => {})
    .finally(() => {
      left -= 1;
    });
}

async function askOnce(
  uri: string,
  init: RequestInit,
  signal: AbortSignal,
  maxBytes: number,
): Promise<Asked> {
  const late = AbortSignal.timeout(ANSWER_MS);
  let status: number;
  let body: Buffer;
  try {
    const response = await fetch(uri, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.any([signal, late]),
    });
    status = response.status;
    body = await bodyOf(response, maxBytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TrinoTooLarge) throw error;
    const { name, cause, message } = error as Error & { cause?: { code?: string; message?: string } };
    const why = cause?.code ?? cause?.message ?? message;
    if (name === 'TimeoutError' || isOfConnection(cause?.code))
      throw new TrinoUnavailable(why, { cause: error });
    throw new TrinoError('BROKEN_ANSWER', why);
  }
  const text = body.toString();
  if (BUSY.has(status)) throw new TrinoUnavailable(`HTTP ${status}`);
  if (status !== 200) throw new TrinoError(`HTTP_${status}`, text.slice(0, 500));
  try {
    return { answer: JSON.parse(text) as Answer, bytes: body.length };
  } catch (error) {
    throw new TrinoError('NO_JSON', `${String(error)}: ${text.slice(0, 500)}`);
  }
}

/** @throws TrinoTooLarge as soon as there is more */
async function bodyOf({ body }: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // To leave the loop ends the connection.
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw new TrinoTooLarge(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}

/** And not of what came over it: bytes that are no HTTP, or do not unpack, a way to elsewhere. */
function isOfConnection(code: string | undefined): boolean {
  return code !== undefined && !/^(HPE|Z|ERR_BUFFER|ERR_STRING)_|^UND_ERR_(HEADERS_OVERFLOW|RES)/.test(code);
}

/** Whether it comes there does not matter to anybody here: the cluster ends by itself what nobody asks for. */
async function cancel(to: TrinoAddress, uri: string): Promise<void> {
  await fetch(uri, {
    method: 'DELETE',
    headers: authorization(to),
    redirect: 'error',
    signal: AbortSignal.timeout(CANCEL_MS),
  }).then(
    (response) => response.body?.cancel(),
    () => {},
  );
}
