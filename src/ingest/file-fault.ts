// Why a file cannot be read, in words of ours: what the engine says speaks of its own options, and says it twice.
import type { Format } from '../source/table-file.ts';
import { reasonOf } from './failure.ts';
import { faultyLine } from './json-shape.ts';

const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /No magic bytes|too small to be a Parquet|Footer length error|Invalid magic/i,
    'it is no Parquet file, or it was cut off',
  ],
  [/TProtocol|thrift|decompress|Failed to read file|Snappy/i, 'its data are damaged'],
  [
    /incorrect header check|unexpected end of file|GZIP|invalid (block|stored|distance|code)/i,
    'it is no gzip file, damaged or cut off',
  ],
  [
    /top-level JSON array/,
    'it is no JSON array of objects; with one object a line its name must end in .ndjson',
  ],
  [/expected records|Expected OBJECT|non-record/i, 'something in it is no JSON object'],
  [/Malformed JSON|unexpected end of data/i, 'it is no proper JSON, or it was cut off'],
  [/Out of Memory|failed to (allocate|offload|pin)/i, 'it needs more memory than --import-memory gives'],
];

/** @returns one sentence, to follow the name of the file */
export async function faultOfFile(source: string, format: Format, error: unknown): Promise<string> {
  const text = error instanceof Error ? error.message : String(error);
  const line = format === 'ndjson' ? await faultyLine(source) : undefined;
  if (line !== undefined) return line;
  const twice = /has duplicate key ("[^"]*")/.exec(text)?.[1];
  if (twice !== undefined) return `an object in it has the field ${twice} twice`;
  const words = WORDS.find(([pattern]) => pattern.test(text))?.[1];
  // The first sentence: the rest is advice about options of the engine.
  return words ?? reasonOf(new Error((text.split('\n')[0] ?? '').replace(/^([A-Z][A-Za-z ]*Error: )+/, '')));
}
