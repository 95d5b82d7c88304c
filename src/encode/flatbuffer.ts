// Writes FlatBuffers (flatbuffers.dev/internals): tables, vectors and strings, front to back, every offset
// pointing forward. As much as Arrow's metadata needs, and it reads nothing.

/** A field of a table by its place in the schema: `undefined` leaves it at its default. */
export type Field =
  | undefined
  | { readonly bytes: 1 | 2 | 4 | 8; readonly value: number }
  /** A table, vector or string, written behind the table and pointed at. */
  | Child;

export type Child =
  | { readonly table: readonly Field[] }
  | { readonly text: string }
  | { readonly vector: readonly Child[] }
  /** A vector of structs that are made of 64-bit integers alone. */
  | { readonly structs: readonly (readonly number[])[] };

/** @returns the buffer, its length a multiple of 8 */
export function flatbuffer(root: readonly Field[]): Uint8Array {
  const out = new Output();
  out.u32(0);
  out.point(0, out.table(root));
  out.align(8);
  return out.written();
}

class Output {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }

  align(to: number): void {
    this.#grow((to - (this.#length % to)) % to);
  }

  u32(value: number): number {
    const at = this.#grow(4);
    this.#view.setUint32(at, value, true);
    return at;
  }

  #number(at: number, bytes: 1 | 2 | 4 | 8, value: number): void {
    if (bytes === 1) this.#view.setUint8(at, value);
    else if (bytes === 2) this.#view.setInt16(at, value, true);
    else if (bytes === 4) this.#view.setInt32(at, value, true);
    else this.#view.setBigInt64(at, BigInt(value), true);
  }

  /** An offset counts from its own place. */
  point(at: number, target: number): void {
    this.#view.setUint32(at, target - at, true);
  }

  table(fields: readonly Field[]): number {
    this.align(2);
    const vtable = this.#grow(4 + fields.length * 2);
    this.align(4);
    const table = this.#grow(4);
    this.#view.setInt32(table, table - vtable, true);
    const children: { readonly at: number; readonly child: Child }[] = [];
    fields.forEach((field, index) => {
      if (field === undefined) return;
      const size = 'bytes' in field ? field.bytes : 4;
      this.align(size);
      const at = this.#grow(size);
      this.#view.setUint16(vtable + 4 + index * 2, at - table, true);
      if ('bytes' in field) this.#number(at, field.bytes, field.value);
      else children.push({ at, child: field });
    });
    this.#view.setUint16(vtable, 4 + fields.length * 2, true);
    this.#view.setUint16(vtable + 2, this.#length - table, true);
    for (const { at, child } of children) this.point(at, this.#child(child));
    return table;
  }

  #child(child: Child): number {
    if ('table' in child) return this.table(child.table);
    if ('text' in child) return this.#text(child.text);
    if ('structs' in child) return this.#structs(child.structs);
    this.align(4);
    const at = this.u32(child.vector.length);
    const places = child.vector.map(() => this.u32(0));
    child.vector.forEach((each, index) => {
      this.point(places[index] as number, this.#child(each));
    });
    return at;
  }

  #text(text: string): number {
    const bytes = Buffer.from(text, 'utf8');
    this.align(4);
    const at = this.u32(bytes.length);
    // Grown first: the assignment may replace the memory.
    const start = this.#grow(bytes.length + 1);
    this.#bytes.set(bytes, start);
    return at;
  }

  #structs(structs: readonly (readonly number[])[]): number {
    // The elements, not the count before them, stand at a multiple of 8.
    this.align(4);
    if (this.#length % 8 === 0) this.#grow(4);
    const at = this.u32(structs.length);
    for (const struct of structs) for (const value of struct) this.#number(this.#grow(8), 8, value);
    return at;
  }
}
