// A typed piece of DuckDB SQL: what every rule of the dialect takes and gives. No rule lives here.
import type { Slot, Template } from './plan.ts';

/**
 * What a value is in DuckDB. `boolean` is SQLite's integer 0 or 1 held as a BOOLEAN (comparisons, AND, NOT);
 * `null` is a value known to be NULL; `any` is ANY_TYPE, known only row by row.
 */
export type Kind = 'integer' | 'real' | 'text' | 'blob' | 'boolean' | 'any' | 'null';

/** SQLite's affinity of a column, CAST or subquery column; `none` for other expressions (datatype3.html 3.2). */
export type Affinity = 'integer' | 'real' | 'numeric' | 'text' | 'blob' | 'none';

export type Collation = 'binary' | 'nocase' | 'rtrim';

export interface Value {
  readonly sql: Template;
  readonly kind: Kind;
  readonly affinity: Affinity;
  /** Undefined: no collation of its own. Explicit (COLLATE) beats a column's (datatype3.html section 7.1). */
  readonly collation: { readonly name: Collation; readonly explicit: boolean } | undefined;
  /** A column or literal: cheap to write twice. */
  readonly simple: boolean;
  /** Set where the value is one literal of the statement, or a negated number literal. */
  readonly literal?: { readonly index: number; readonly negative: boolean };
  /** Known never to be NULL. */
  readonly notNull: boolean;
  /**
   * SQLite's subtype, by which JSON functions embed a value (json1.html section 3.4). true: every text in it is
   * JSON; 'maybe': a text that looks like a JSON array or object is one.
   */
  readonly json?: true | 'maybe';
  /** How `of` is written into JSON, where that is known better than by kind. Void where `sql` is another. */
  readonly asJson?: { readonly of: Template; readonly sql: Template };
  /** The bytes of a text that may be no UTF-8, which the engine's texts must be. Void where `sql` is another. */
  readonly bytes?: { readonly of: Template; readonly sql: Template };
  /** The operands of a chain of AND or OR. Void where `sql` is another than `of`. */
  readonly chain?: {
    readonly of: Template;
    readonly operator: 'and' | 'or';
    readonly operands: readonly Template[];
  };
}

/** The engine's tagged union for values whose kind is known only row by row. */
export const ANY_TYPE = 'UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)';

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

/** Doubled-quote identifier of DuckDB: the only way that a name enters the SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text literal of DuckDB: the only way that constant text enters the SQL. */
export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
