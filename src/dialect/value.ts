// A typed piece of DuckDB SQL: what every rule of the dialect takes and gives. No rule lives here.
import type { Literal } from '../wire/protocol.ts';
import type { Known } from './facts.ts';
import type { Slot, Template } from './plan.ts';
import type { ReadColumn } from './read-column.ts';

/**
 * What a value is in DuckDB, the same in every row. `boolean` is SQLite's integer 0 or 1 held as a BOOLEAN
 * (comparisons, AND, NOT); `null` is a value known to be NULL; `number` is an integer in some rows and a real in
 * others (`coalesce(price, 0)`), held as a DOUBLE without loss.
 */
export type Kind = 'integer' | 'real' | 'number' | 'text' | 'blob' | 'boolean' | 'null';

/** SQLite's affinity of a column, CAST or subquery column; `none` for other expressions (datatype3.html 3.2). */
export type Affinity = 'integer' | 'real' | 'numeric' | 'text' | 'blob' | 'none';

export type Collation = 'binary' | 'nocase' | 'rtrim';

export interface Value {
  readonly sql: Template;
  readonly kind: Kind;
  readonly affinity: Affinity;
  /** Undefined: no collation of its own. Explicit (COLLATE) beats a column's (datatype3.html section 7.1). */
  readonly collation: { readonly name: Collation; readonly explicit: boolean } | undefined;
  /** The column that it was read from: see columnOf() for whether it still is. */
  readonly column?: ReadColumn;
  /** A column or literal: cheap to write twice. */
  readonly simple: boolean;
  /** Set where the value is one literal of the statement, or a negated number literal. */
  readonly literal?: { readonly index: number; readonly negative: boolean };
  /** Known never to be NULL. */
  readonly notNull: boolean;
  /** SQLite's subtype, by which JSON functions embed a value (json1.html section 3.4): in every row, or in some. */
  readonly json?: 'all' | 'some';
  /** What is known of all its values. Asked for where a rule needs it, since a literal's value pins the plan. */
  readonly known?: (ctx: Pin) => Known;
  /** Of a `number`: BOOLEAN SQL, where it is an integer. */
  readonly whole?: Template;
  /** As `of`, with NaN in the place of NULL where the arithmetic has no answer. Void where `sql` is another. */
  readonly bare?: { readonly of: Template; readonly sql: Template };
  /** Of a real that is a number of some decimals: how it is written as a whole number. Void where `sql` is another. */
  readonly scaled?: { readonly of: Template; readonly as: (ctx: Pin) => Scaled | undefined };
  /** The values of which a text is put together. Void where `sql` is another than `of`. */
  readonly parts?: { readonly of: Template; readonly values: readonly Value[] };
  /** The operands of a chain of AND or OR. Void where `sql` is another than `of`. */
  readonly chain?: {
    readonly of: Template;
    readonly operator: 'and' | 'or';
    readonly operands: readonly Template[];
  };
}

/** A number as a whole number of its last decimal. */
export interface Scaled {
  /** BIGINT */
  readonly sql: Template;
  readonly digits: number;
  /** The largest, without its sign. */
  readonly size: number;
}

/** Makes the plan one for a literal's value, and gives the literal. */
export interface Pin {
  pin(index: number): Literal;
}

/** The values of which a text is put together: itself, where it is not. */
export function partsOf(x: Value): readonly Value[] {
  return x.parts?.of === x.sql ? x.parts.values : [x];
}

/** Joins texts, slots and templates: sql`(${left.sql} + ${right.sql})`. Strings go in as they are. */
export function sql(
  strings: TemplateStringsArray,
  ...parts: readonly (string | number | Slot | Template)[]
): Template {
  const out: (string | Slot)[] = [];
  const add = (piece: string | Slot): void => {
    const last = out.length - 1;
    if (typeof piece === 'string' && typeof out[last] === 'string') out[last] += piece;
    else out.push(piece);
  };
  strings.forEach((text, i) => {
    add(text);
    const part = parts[i];
    if (part === undefined) return;
    if (typeof part === 'number') add(String(part));
    else if (Array.isArray(part)) part.forEach(add);
    else add(part as string | Slot);
  });
  return out;
}

/** Templates with a separator between them. */
export function join(parts: readonly Template[], separator: string): Template {
  return parts.flatMap((part, i) => (i === 0 ? part : [separator, ...part]));
}

/** Doubled-quote identifier of DuckDB and SQLite: the only way that a name of a table or column enters SQL of ours. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text literal of DuckDB: the only way that constant text enters the SQL. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
