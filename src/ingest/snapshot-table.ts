// A table as it goes into a snapshot: what tablegate.tables and tablegate.columns say of it. Plain data.
import type { Kind } from '../columns/column-buffer.ts';

export interface NewColumn {
  readonly name: string;
  /** As in the CREATE TABLE, quotes kept. */
  readonly written: string;
  /** Lower case. */
  readonly declaredType: string;
  readonly kind: Kind;
  readonly affinity: 'integer' | 'real' | 'numeric' | 'text' | 'blob';
  readonly notNull: boolean;
  readonly collation: 'binary' | 'nocase' | 'rtrim';
  readonly constraints: readonly string[];
}

export interface NewTable {
  readonly name: string;
  readonly chainId: number | undefined;
  /** Decimal digits. */
  readonly tableId: string | undefined;
  readonly prefix: string | undefined;
  /** Seconds since 1970. */
  readonly createdAt: number | undefined;
  readonly kind: 'user' | 'system';
  readonly columns: readonly NewColumn[];
  /** The DuckDB column with SQLite's rowid: one of `columns`, or a hidden one behind them. */
  readonly rowid: string | undefined;
  readonly hasHiddenRowid: boolean;
  readonly unique: readonly (readonly string[])[];
  readonly tableConstraints: readonly string[];
}
