// Table names, and the select that a table alone stands for.
import { asciiLower } from '../../base/ascii-lower.ts';
import type { Name, Select, Source } from '../ast.ts';
import type { Cursor } from './cursor.ts';

/** A table's name. The served tables are the only schema, which SQLite calls `main`. */
export function tableName(cursor: Cursor): Name {
  const name = cursor.name('a table');
  if (cursor.at('.') && asciiLower(name.text) !== 'main')
    throw cursor.unexpected('the only schema is main', 'unknown-table');
  return cursor.take('.') ? cursor.name('a table') : name;
}

/** `select * from source` */
export function selectAll(from: Source): Select {
  return {
    with: undefined,
    first: {
      type: 'select',
      distinct: false,
      columns: [{ type: 'star', table: undefined }],
      from,
      where: undefined,
      groupBy: [],
      having: undefined,
      windows: [],
    },
    rest: [],
    orderBy: [],
    limit: undefined,
    offset: undefined,
  };
}
