// A store behind HTTP: what a web server and an object store have in common. Nothing that it answers is believed
// further than it is asked for: bodies are bounded in bytes and time, redirects are not followed.
import { MAX_POINTER_BYTES, PARTS, POINTER, type Store, type StoredPointer, StoreError } from './store.ts';

export interface WebRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Below the store's own address. */
  readonly path: string;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

export interface Web {
  /** For messages. */
  readonly name: string;
  /** As fetch() does. */
  send(request: WebRequest): Promise<Response>;
  /** Whether writes keep conditions; else what was written is read again. */
  readonly isConditional: boolean;
}

/** A place that says nothing for so long is given up. */
const SILENCE_MS = 10_000;
const FOREVER = 'public, max-age=31536000, immutable';

export function webStore(web: Web): Omit<Store, 'listParts'> {
  const readPointer: Store['readPointer'] = async (known, signal) => {
    const headers = known === undefined ? {} : { 'if-none-match': known };
    const answer = await ask(web, { method: 'GET', path: POINTER, headers, signal });
    if (answer.status === 304 && known !== undefined) return discard(answer, 'unchanged');
    if (answer.status === 404) return discard(answer, 'absent');
    if (answer.status !== 200) throw await refusal(web, answer, POINTER);
    const text = (await readBody(answer, MAX_POINTER_BYTES, POINTER)).toString('utf8');
    return { text, tag: answer.headers.get('etag') ?? undefined, isSettled: isSettled(answer.headers) };
  };

  return {
    name: web.name,
    readPointer,

    async writePointer(text, over, signal) {
      // Without a tag there is no condition to send.
      const isBlind = !web.isConditional || (over !== undefined && over.tag === undefined);
      if (isBlind && !isStill(await readPointer(undefined, signal), over)) return 'taken';
      const answer = await ask(web, {
        method: 'PUT',
        path: POINTER,
        headers: {
          'content-type': 'application/json',
          'cache-control': 'no-cache',
          ...(over === undefined ? { 'if-none-match': '*' } : {}),
          ...(over?.tag === undefined ? {} : { 'if-match': over.tag }),
        },
        body: Buffer.from(text),
        signal,
      });
      // Of a condition that is not kept, and of two that came at the same time; 404: somebody removed it.
      if ([412, 409, 404].includes(answer.status)) return discard(answer, 'taken');
      if (!answer.ok) throw await refusal(web, answer, POINTER);
      await discard(answer, undefined);
      if (web.isConditional) return 'written';
      const now = await readPointer(undefined, signal);
      return typeof now === 'object' && now.text === text ? 'written' : 'taken';
    },

    async openPart(name, from, signal) {
      const headers = from === 0 ? {} : { range: `bytes=${from}-` };
      const answer = await ask(web, { method: 'GET', path: `${PARTS}/${name}`, headers, signal });
      const chunks = (): AsyncIterable<Uint8Array> => chunksOf(answer, `part ${name}`);
      if (answer.status === 200) return { from: 0, chunks: chunks() };
      const begins = /^bytes (\d+)-/.exec(answer.headers.get('content-range') ?? '')?.[1];
      if (answer.status === 206 && Number(begins) === from) return { from, chunks: chunks() };
      throw await refusal(web, answer, `part ${name}`);
    },

    async hasPart(name, signal) {
      const answer = await ask(web, { method: 'HEAD', path: `${PARTS}/${name}`, signal });
      if (answer.status === 200 || answer.status === 404) return discard(answer, answer.status === 200);
      throw await refusal(web, answer, `part ${name}`);
    },

    async putPart(name, bytes, signal) {
      const headers = { 'content-type': 'application/octet-stream', 'cache-control': FOREVER };
      const answer = await ask(web, {
        method: 'PUT',
        path: `${PARTS}/${name}`,
        headers,
        body: bytes,
        signal,
      });
      if (!answer.ok) throw await refusal(web, answer, `part ${name}`);
      await discard(answer, undefined);
    },

    async removePart(name, signal) {
      const answer = await ask(web, { method: 'DELETE', path: `${PARTS}/${name}`, signal });
      if (!answer.ok && answer.status !== 404) throw await refusal(web, answer, `part ${name}`);
      await discard(answer, undefined);
    },
  };
}

/** @throws StoreError where there is no answer */
export async function ask(web: Web, request: WebRequest): Promise<Response> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    // Bytes as they are: a part of something that was compressed on the way is of no use. With a range, fetch() says so
    // itself, and twice is another header than the one that was signed.
    const plain = request.headers?.['range'] === undefined ? { 'accept-encoding': 'identity' } : {};
    const headers = { ...request.headers, ...plain };
    return await web.send({ ...request, headers, signal: AbortSignal.any([request.signal, silence.signal]) });
  } catch (error) {
    request.signal.throwIfAborted();
    const why = silence.signal.aborted ? `no answer for ${SILENCE_MS / 1000} s` : reasonOf(error);
    throw new StoreError(`${web.name}: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** @throws StoreError where it is longer, cut, or stops coming */
export async function readBody(answer: Response, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const began = performance.now();
  for await (const chunk of chunksOf(answer, what)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new StoreError(`${what} is longer than ${maxBytes} bytes`);
    if (performance.now() - began > 3 * SILENCE_MS) throw new StoreError(`${what} comes too slowly`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* chunksOf({ body }: Response, what: string): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  try {
    for (;;) {
      const next = await inTime(reader.read(), what);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    // Whoever has enough, or too much, takes no more; and a body that was cut has failed already.
    await reader.cancel().catch(() => undefined);
  }
}

async function inTime<T>(reading: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const error = new StoreError(`${what}: nothing more came for ${SILENCE_MS / 1000} s`);
    timer = setTimeout(() => reject(error), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(`${what} was cut: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

export async function refusal(web: Web, answer: Response, what: string): Promise<StoreError> {
  await answer.body?.cancel().catch(() => undefined);
  const { status } = answer;
  const redirects = status >= 300 && status < 400 ? ', and redirects are not followed' : '';
  const denied = status === 401 || status === 403 ? ': the credentials do not allow it' : '';
  return new StoreError(`${web.name} answers ${status} for ${what}${redirects}${denied}`);
}

async function discard<T>(answer: Response, value: T): Promise<T> {
  await answer.body?.cancel().catch(() => undefined);
  return value;
}

function isStill(now: StoredPointer | 'unchanged' | 'absent', over: StoredPointer | undefined): boolean {
  return over === undefined ? now === 'absent' : typeof now === 'object' && now.text === over.text;
}

/** RFC 9110, 8.8.2.2: a second may have several states, and web servers make tags of times. */
function isSettled(headers: Headers): boolean {
  const changed = Date.parse(headers.get('last-modified') ?? '');
  const now = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(changed) || Number.isNaN(now) || now - changed >= 2_000;
}

/** In a word, where the system has one. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
  const { code, message } = cause ?? (error as NodeJS.ErrnoException);
  if (code !== undefined && CLOSED.includes(code)) return 'the connection was closed';
  return code ?? message;
}

/** Which of them it is depends on the moment. */
const CLOSED: readonly string[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
