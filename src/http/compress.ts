// Compresses bodies for clients that ask for it: large ones only, on libuv's threads, never in the event loop.
// Tags are weak (etag.ts), so one stands for every coding of an answer.
import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { createByteCache, createCache } from '../base/cache.ts';
import { bestOffer, readRanges } from './accept.ts';
import type { Answer } from './answer.ts';

/** Never throws, never rejects. */
export type Compress = (answer: Answer, asked: Asked) => Answer | Promise<Answer>;

/** What decides about it in a request. */
export interface Asked {
  header(lowerCaseName: string): string | undefined;
  /** False for HEAD. */
  readonly withBody: boolean;
}

export interface CompressOptions {
  /** Smaller bodies go as they are; 0: all do. */
  readonly minBytes: number;
  /** Bound of the compressed bodies that are kept, by tag: an answer of the result cache is compressed once. */
  readonly cacheBytes: number;
}

type Coding = 'zstd' | 'br' | 'gzip';

interface Coder {
  readonly whole: (body: Uint8Array | string, done: (error: Error | null, bytes: Uint8Array) => void) => void;
  readonly stream: () => Transform;
}

/** Where as many wait for a thread, the next go as they are: who waits for a thread is not served sooner. */
const MAX_WAITING = 32;
const PART_BYTES = 64 * 1024;

// Measured for 250 kB of rows as JSON: gzip 4 2.0 ms and 21 %, Brotli 3 1.6 ms and 17 %, Brotli 5 3.8 ms and 15 %.
const GZIP: zlib.ZlibOptions = { level: 4, chunkSize: PART_BYTES };
/** The window bounds the memory of a stream whose reader is slow: 256 KB. */
const BROTLI: zlib.BrotliOptions = {
  params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3, [zlib.constants.BROTLI_PARAM_LGWIN]: 18 },
  chunkSize: PART_BYTES,
};
/** Since Node 22.15; this one may be older. */
const { zstdCompress, createZstdCompress } = zlib as Partial<{
  readonly zstdCompress: Coder['whole'];
  readonly createZstdCompress: (options: { readonly chunkSize: number }) => ReturnType<Coder['stream']>;
}>;

const CODERS: { readonly [C in Coding]?: Coder } = {
  ...(zstdCompress !== undefined &&
    createZstdCompress !== undefined && {
      zstd: { whole: zstdCompress, stream: () => createZstdCompress({ chunkSize: PART_BYTES }) },
    }),
  br: {
    whole: (body, done) => zlib.brotliCompress(body, BROTLI, done),
    stream: () => zlib.createBrotliCompress(BROTLI),
  },
  gzip: {
    whole: (body, done) => zlib.gzip(body, GZIP, done),
    stream: () => zlib.createGzip(GZIP),
  },
};

/** By how well they do. Identity is last: it comes where the client would rather have it. */
const OFFERS: readonly { readonly value: Coding | 'identity'; readonly names: readonly string[] }[] = [
  ...(Object.keys(CODERS) as Coding[]).map((value) => ({ value, names: [value, `x-${value}`] })),
  { value: 'identity', names: ['identity'] },
];

export function createCompress({ minBytes, cacheBytes }: CompressOptions): Compress {
  if (minBytes === 0) return (answer) => answer;
  const kept =
    cacheBytes === 0
      ? undefined
      : createByteCache<Uint8Array>({
          maxBytes: cacheBytes,
          maxEntryBytes: cacheBytes / 8,
          bytesOf: (bytes, key) => bytes.byteLength + 2 * key.length + 200,
        });
  let waiting = 0;

  const compressed = (coder: Coder, body: Uint8Array | string): Promise<Uint8Array> => {
    waiting += 1;
    return new Promise((resolve, reject) => {
      coder.whole(body, (error, bytes) => {
        waiting -= 1;
        if (error === null) resolve(bytes);
        else reject(error);
      });
    });
  };

  return (answer, asked) => {
    const { body, rest, status } = answer;
    if (status !== 200 || (rest === undefined && body.length < minBytes)) return answer;
    if (!isCompressible(answer.headers)) return answer;
    const varied = { ...answer, headers: varyByEncoding(answer.headers) };
    const coding = codingOf(asked.header('accept-encoding'));
    const coder = coding === undefined ? undefined : CODERS[coding];
    if (coding === undefined || coder === undefined || waiting >= MAX_WAITING) return varied;
    const coded = { ...varied, headers: [...varied.headers, 'Content-Encoding', coding] };
    if (rest !== undefined)
      return asked.withBody ? { ...coded, body: '', rest: compressedParts(coder, body, rest) } : coded;
    const tag = headerOf(answer.headers, 'etag');
    const key = tag === undefined ? undefined : `${coding} ${tag}`;
    const known = key === undefined ? undefined : kept?.get(key);
    if (known !== undefined) return { ...coded, body: known };
    return compressed(coder, body).then(
      (bytes) => {
        if (key !== undefined) kept?.set(key, bytes);
        return { ...coded, body: bytes };
      },
      // Out of memory, say: the answer itself is there all the same.
      () => varied,
    );
  };
}

/** Ends early, with the same error, where `rest` does; leaves `rest` where its own reader leaves. */
function compressedParts(
  coder: Coder,
  first: Uint8Array | string,
  rest: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  async function* plain(): AsyncGenerator<Uint8Array | string, void, void> {
    yield first;
    yield* rest;
  }
  async function* parts(): AsyncGenerator<Uint8Array, void, void> {
    const stream = coder.stream();
    // Its errors come out of the stream itself; a stream that is left takes its source with it.
    // One part ahead, not sixteen: parts are large, and readers may be many and slow.
    pipeline(Readable.from(plain(), { highWaterMark: 1 }), stream, () => {});
    yield* stream;
  }
  const reader = parts();
  let begun = false;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        begun = true;
        return reader.next();
      },
      return: async () => {
        // Where nothing was read yet, nothing of the above has run, and nothing else would leave `rest`.
        if (!begun) await rest[Symbol.asyncIterator]().return?.();
        return reader.return();
      },
    }),
  };
}

/** Cached: clients send few different headers. */
const codings = createCache<{ readonly coding: Coding | undefined }>(200);

function codingOf(accepted: string | undefined): Coding | undefined {
  if (accepted === undefined) return undefined;
  const known = codings.get(accepted);
  if (known !== undefined) return known.coding;
  const best = bestOffer(readRanges(accepted), OFFERS, 'server');
  const coding = best === 'identity' ? undefined : best;
  if (accepted.length < 200) codings.set(accepted, { coding });
  return coding;
}

function headerOf(headers: readonly string[], lowerCaseName: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]?.toLowerCase() === lowerCaseName) return headers[i + 1];
  return undefined;
}

const COMPRESSIBLE =
  /^(text\/|image\/svg|application\/(json|[\w.-]+\+json|x-ndjson|vnd\.apache\.arrow\.stream)\b)/;

function isCompressible(headers: readonly string[]): boolean {
  const type = headerOf(headers, 'content-type');
  return type !== undefined && COMPRESSIBLE.test(type) && headerOf(headers, 'content-encoding') === undefined;
}

/** In one line with what else the answer depends on: some caches read only one. */
function varyByEncoding(headers: readonly string[]): readonly string[] {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'vary');
  if (at < 0) return [...headers, 'Vary', 'Accept-Encoding'];
  const vary = headers[at + 1] ?? '';
  return /accept-encoding/i.test(vary) ? headers : headers.with(at + 1, `${vary}, Accept-Encoding`);
}
