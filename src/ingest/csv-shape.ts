// Reads a CSV file once, byte by byte, for its shape alone: the names in its header line and the number of its records
// (RFC 4180). Every record has as many fields as the header, or the file is refused: nothing is guessed or left out.
import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { BYTE_ORDER_MARK } from './csv-mark.ts';
import { ImportError } from './failure.ts';
import { fileBytes } from './file-bytes.ts';

export interface CsvShape {
  readonly names: readonly string[];
  /** Without the header. */
  readonly records: number;
  /** At least the bytes of the longest record. */
  readonly longest: number;
  /** A byte order mark stands before a quoted name with a delimiter in it: the engine takes that quote for no quote. */
  readonly markHidesQuote: boolean;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING: Buffer = Buffer.alloc(0);
const NO_UTF8 = 'its bytes are no UTF-8; convert the file first';

/** @throws ImportError with line, expected and found */
export async function readCsvShape(
  path: string,
  delimiter: ',' | '\t',
  onShare: (share: number) => void = () => undefined,
): Promise<CsvShape> {
  const comma = delimiter.charCodeAt(0);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const header: number[] = [];
  let names: readonly string[] | undefined;
  let records = 0;
  let longest = 0;
  let line = 1;
  let recordLine = 1;
  let fields = 1;
  let bytes = 0;
  let quoted = false;
  let afterQuote = false;
  let atFieldStart = true;
  let isFirst = true;
  let cut = NOTHING;
  let hasMark = false;
  let wasCr = false;
  let usesCrlf: boolean | undefined;

  const fail = (why: string): never => {
    throw new ImportError(`${path}, line ${line}: ${why}`);
  };
  const endRecord = (): void => {
    // A blank line is a record of one empty field only where records have one field.
    const isBlank = fields === 1 && bytes === 0;
    if (names === undefined) names = headerNames(path, Buffer.from(header), comma);
    else if (!(isBlank && names.length > 1)) {
      if (fields !== names.length)
        throw new ImportError(
          `${path}, line ${recordLine}: expected ${names.length} ${names.length === 1 ? 'field' : 'fields'} as in the header, found ${fields}`,
        );
      records++;
    }
    longest = Math.max(longest, bytes + 2 * fields);
    fields = 1;
    bytes = 0;
    recordLine = line;
  };
  const { size } = await stat(path);
  const { bytes: unpacked, file } = fileBytes(path);
  for await (const part of unpacked) {
    let chunk = part as Buffer;
    onShare(file.bytesRead / size);
    if (isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK)) {
      hasMark = true;
      chunk = chunk.subarray(3);
    }
    isFirst = false;
    if (!decodes(() => decoder.decode(chunk, { stream: true }))) {
      const found = line + linesBeforeFault(Buffer.concat([cut, chunk]));
      throw new ImportError(`${path}, line ${found}: ${NO_UTF8}`);
    }
    cut = cutCharacter(chunk);
    for (const byte of chunk) {
      if (wasCr && byte !== LF) fail('a line ends with CR alone; convert it to LF or CRLF');
      const isCrlf = wasCr;
      wasCr = false;
      if (names === undefined && !(byte === LF && (!quoted || afterQuote))) header.push(byte);
      if (quoted && !afterQuote) {
        bytes++;
        if (byte === QUOTE) afterQuote = true;
        else if (byte === LF) line++;
        continue;
      }
      if (byte === QUOTE) {
        if (afterQuote) afterQuote = false;
        else if (atFieldStart) {
          quoted = true;
          atFieldStart = false;
        } else fail('a quote stands within a field that does not begin with one');
        bytes++;
        continue;
      }
      if (byte === comma || byte === LF) {
        quoted = false;
        afterQuote = false;
        atFieldStart = true;
        if (byte === comma) fields++;
        else {
          // The engine takes one kind in a file.
          if (isCrlf !== (usesCrlf ?? isCrlf))
            fail(
              `it ends with ${isCrlf ? 'CRLF' : 'LF'}, and those before with the other; convert the file to one of both`,
            );
          usesCrlf = isCrlf;
          line++;
          endRecord();
        }
        continue;
      }
      if (byte === CR) {
        wasCr = true;
        continue;
      }
      if (afterQuote) fail('something stands behind the closing quote of a field');
      atFieldStart = false;
      bytes++;
    }
  }
  if (!decodes(() => decoder.decode())) fail(NO_UTF8);
  if (quoted && !afterQuote) throw new ImportError(`${path}, line ${recordLine}: a quote is never closed`);
  if (wasCr) fail('a line ends with CR alone; convert it to LF or CRLF');
  if (fields > 1 || bytes > 0) endRecord();
  if (names === undefined) throw new ImportError(`${path} has no header line`);
  const markHidesQuote = hasMark && header[0] === QUOTE && names[0]?.includes(delimiter) === true;
  return { names, records, longest, markHidesQuote };
}

function decodes(decode: () => string): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}

/** The first bytes of a character whose others come with the next chunk. */
function cutCharacter(chunk: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, chunk.length); back++) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0)
      return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? chunk.subarray(-back) : NOTHING;
  }
  return NOTHING;
}
/** @param chunk begins with a character, and is no UTF-8 */
function linesBeforeFault(chunk: Buffer): number {
  let lines = 0;
  for (let at = 0; ; lines++) {
    const end = chunk.indexOf(LF, at);
    if (end < 0 || !isUtf8(chunk.subarray(at, end))) return lines;
    at = end + 1;
  }
}

function headerNames(path: string, bytes: Buffer, comma: number): readonly string[] {
  const text = bytes.toString('utf8').replace(/\r$/, '');
  const names: string[] = [];
  const delimiter = String.fromCharCode(comma);
  for (let at = 0; at <= text.length; ) {
    const found = text[at] === '"' ? /"((?:[^"]|"")*)"/y : undefined;
    if (found === undefined) {
      const end = text.indexOf(delimiter, at) < 0 ? text.length : text.indexOf(delimiter, at);
      names.push(text.slice(at, end));
      at = end + 1;
    } else {
      found.lastIndex = at;
      const [whole = '', inner = ''] = found.exec(text) ?? [];
      names.push(inner.replaceAll('""', '"'));
      at += whole.length + 1;
    }
  }
  const seen = new Map<string, string>();
  for (const [i, name] of names.entries()) {
    if (name === '') throw new ImportError(`${path}, line 1: column ${i + 1} of the header has no name`);
    // The engine is told to leave out one line.
    if (/[\r\n]/.test(name))
      throw new ImportError(`${path}, line 1: the name of column ${i + 1} has a line break in it; rename it`);
    const before = seen.get(name.toLowerCase());
    if (before !== undefined)
      throw new ImportError(
        `${path}, line 1: the header names the column ${JSON.stringify(name)} twice${before === name ? '' : `, since ${JSON.stringify(before)} is the same in SQL`}`,
      );
    seen.set(name.toLowerCase(), name);
  }
  const other =
    names.length === 1 && !text.startsWith('"')
      ? [';', '|', '\t', ','].find((each) => names[0]?.includes(each))
      : undefined;
  if (other !== undefined)
    throw new ImportError(
      `${path}, line 1: the header has one column, ${JSON.stringify(names[0])}; fields must be separated by ${JSON.stringify(delimiter)}, not ${JSON.stringify(other)}`,
    );
  return names;
}
