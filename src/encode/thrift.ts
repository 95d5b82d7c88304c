// Writes Thrift's compact protocol (thrift-compact-protocol.md), in which Parquet keeps its metadata. Structs
// are lists of their fields in ascending order; it reads nothing.

export type ThriftValue =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly text: string }
  | { readonly struct: ThriftStruct }
  | { readonly list: readonly ThriftValue[] };

export type ThriftStruct = readonly (readonly [id: number, value: ThriftValue])[];

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

export function thriftBytes(struct: ThriftStruct): Uint8Array {
  const out: number[] = [];
  writeStruct(out, struct);
  return Uint8Array.from(out);
}

function typeOf(value: ThriftValue): number {
  if ('i32' in value) return I32;
  if ('i64' in value) return I64;
  if ('text' in value) return BINARY;
  return 'list' in value ? LIST : STRUCT;
}

function writeStruct(out: number[], fields: ThriftStruct): void {
  let last = 0;
  for (const [id, value] of fields) {
    // Ids of Parquet's structs are never more than 15 apart.
    out.push(((id - last) << 4) | typeOf(value));
    last = id;
    writeValue(out, value);
  }
  out.push(0);
}

function writeValue(out: number[], value: ThriftValue): void {
  if ('i32' in value) writeInteger(out, value.i32);
  else if ('i64' in value) writeInteger(out, value.i64);
  else if ('struct' in value) writeStruct(out, value.struct);
  else if ('text' in value) {
    const bytes = Buffer.from(value.text, 'utf8');
    writeVarint(out, bytes.length);
    for (const byte of bytes) out.push(byte);
  } else {
    const { list } = value;
    const type = list[0] === undefined ? STRUCT : typeOf(list[0]);
    if (list.length < 15) out.push((list.length << 4) | type);
    else {
      out.push(0xf0 | type);
      writeVarint(out, list.length);
    }
    for (const each of list) writeValue(out, each);
  }
}

/** Zigzag of a number that is never negative here: twice it. */
function writeInteger(out: number[], value: number): void {
  writeVarint(out, value * 2);
}

/** Seven bits a byte, the lowest first; past 32 bits too, so without shifts. */
export function writeVarint(out: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
}
