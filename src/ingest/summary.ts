// What an import tells on stdout when it is done: a line for each table that came or went, then one for the snapshot.
import { type Changes, rowsText, type ServedTable } from './changes.ts';
import type { ImportSummary } from './import.ts';
import { grouped } from './progress.ts';

/** Tables of one kind of change, and columns of one table, that are named. */
const MAX_TABLES = 20;
const MAX_COLUMNS = 16;

export function summaryText(summary: ImportSummary, seconds: number, isUpdate: boolean): string {
  const { snapshot, changes, byLog } = summary;
  if (snapshot === undefined) return 'unchanged: the current snapshot has all of it\n';
  const { added, replaced, removed } = changes;
  const columns = ({ name }: ServedTable): string => columnsText(summary.columns.get(name) ?? []);
  const word = isUpdate ? 'changed' : 'replaced';
  const lines = [
    ...listing('added', added, (table) => `${table.name}: ${rowsText(table.rows)}${columns(table)}`),
    ...listing(word, replaced, ({ before, after }) => {
      const name = before.name === after.name ? after.name : `${before.name}, which is ${after.name} now`;
      return `${name}: ${rowsText(after.rows)}, before ${grouped(before.rows)}${columns(after)}`;
    }),
    ...listing('removed', removed, (table) => `${table.name}: ${rowsText(table.rows)}`),
  ];
  const sums = `${grouped(summary.tables)} ${summary.tables === 1 ? 'table' : 'tables'}, ${rowsText(summary.rows)}, ${grouped(summary.bytes)} bytes`;
  lines.push(
    `snapshot ${snapshot.id}: ${sums}, ${seconds.toFixed(1)} seconds; ${countsText(changes, word)}${byLog ? ', as its log says' : ''}`,
  );
  return `${lines.join('\n')}\n`;
}

function listing<T>(word: string, tables: readonly T[], line: (table: T) => string): readonly string[] {
  const lines = tables.slice(0, MAX_TABLES).map((table) => `${word} ${line(table)}`);
  const more = tables.length - MAX_TABLES;
  return more > 0 ? [...lines, `${word} ${grouped(more)} more`] : lines;
}

function countsText({ added, replaced, removed }: Changes, word: string): string {
  const counts = [
    [added.length, 'added'],
    [replaced.length, word],
    [removed.length, 'removed'],
  ] as const;
  const said = counts.filter(([count]) => count > 0).map(([count, what]) => `${grouped(count)} ${what}`);
  return said.length === 0 ? 'no table changed' : said.join(', ');
}

/** ` (id integer, name text)` */
function columnsText(columns: readonly string[]): string {
  const shown = columns.slice(0, MAX_COLUMNS);
  const more = columns.length - shown.length;
  return columns.length === 0 ? '' : ` (${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}
