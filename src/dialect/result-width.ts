// How many columns the SELECTs of a statement give together. SQLite makes a place for each when it plans a statement, and
// few letters may stand for very many of them: `*` for those of all tables.
import { asciiLower } from '../base/ascii-lower.ts';
import type { SelectCore, Source } from './ast.ts';

/** Of json_each and json_tree. */
const FUNCTION_COLUMNS = 10;

/**
 * @param columnsOf lower-case names of a served table's columns; common tables have none
 * @returns at least as many as there are where no common table is read by a star
 */
export function resultWidth(
  cores: readonly SelectCore[],
  columnsOf: (table: string) => ReadonlySet<string>,
): number {
  const ofSource = (source: Source | undefined): number => {
    switch (source?.type) {
      case undefined:
        return 0;
      case 'table':
        return columnsOf(asciiLower(source.name.text)).size;
      case 'function':
        return FUNCTION_COLUMNS;
      case 'select':
        return ofCore(source.select.first);
      case 'group':
        return ofSource(source.source);
      case 'join':
        return ofSource(source.left) + ofSource(source.right);
    }
  };
  const ofCore = (core: SelectCore): number => {
    if (core.type === 'values') return core.rows[0]?.length ?? 0;
    const stars = core.columns.filter(({ type }) => type === 'star').length;
    return core.columns.length - stars + (stars === 0 ? 0 : stars * ofSource(core.from));
  };
  let width = 0;
  for (const core of cores) width += ofCore(core);
  return width;
}
