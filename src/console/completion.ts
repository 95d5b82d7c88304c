// What can come next in a statement: words, functions, names of tables found by the gateway, and columns of
// the tables that the statement names.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { describeTable, type Listed, listTables } from './gateway.ts';
import { FUNCTIONS, KEYWORDS, spelled } from './sql-words.ts';

const WORDS: readonly Completion[] = [
  ...KEYWORDS.map((label) => ({ label, type: 'keyword', boost: -1 })),
  ...FUNCTIONS.map((label) => ({ label, type: 'function', apply: `${label}(`, boost: -1 })),
];

/** Every table where there are no more than these; beyond that the gateway is asked for each beginning. */
const ALL_TABLES = 1000;
const FOUND_TABLES = 50;

const found = new Map<string, Promise<{ readonly tables: readonly Listed[]; readonly complete: boolean }>>();

async function tablesLike(word: string): Promise<readonly Listed[]> {
  const ask = (search: string, limit: number): ReturnType<typeof tablesOf> => {
    const kept = found.get(search);
    if (kept !== undefined) return kept;
    const asked = tablesOf(search, limit);
    found.set(search, asked);
    asked.catch(() => found.delete(search));
    return asked;
  };
  const all = await ask('', ALL_TABLES);
  return all.complete || word === '' ? all.tables : (await ask(word.toLowerCase(), FOUND_TABLES)).tables;
}

async function tablesOf(
  search: string,
  limit: number,
): Promise<{ readonly tables: readonly Listed[]; readonly complete: boolean }> {
  const { tables, next } = await listTables({ chain: '', search, limit });
  return { tables, complete: next === undefined };
}

/** To be called when another snapshot is served. */
export function forgetTables(): void {
  found.clear();
}

/** Names such as `rigs_31337_2` in a statement, with the name they are given (`rigs_31337_2 as r`). */
const NAMED_TABLE = /\b([a-z_]\w*_(\d+)_(\d+))\b(?:\s+as)?(?:\s+([a-z_]\w*))?/gi;
const MAX_NAMED = 10;

async function columnsOf(statement: string, qualifier: string | undefined): Promise<Completion[]> {
  const wanted = new Map<string, Promise<Completion[]>>();
  for (const [, name = '', chain = '', id = '', alias = ''] of statement.matchAll(NAMED_TABLE)) {
    const fits = [name, alias].some((each) => each.toLowerCase() === qualifier?.toLowerCase());
    if (wanted.size < MAX_NAMED && (qualifier === undefined || fits))
      wanted.set(name, columns(name, chain, id));
  }
  return (await Promise.all(wanted.values())).flat();
}

async function columns(name: string, chainId: string, tableId: string): Promise<Completion[]> {
  try {
    const { schema } = await describeTable(chainId, tableId);
    return schema.columns.map((column) => ({
      label: column.name,
      type: 'property',
      detail: column.type,
      info: name,
      boost: 2,
      apply: spelled(column.name),
    }));
  } catch {
    // An unknown table has no columns; running the statement tells.
    return [];
  }
}

export async function completeSql(context: CompletionContext): Promise<CompletionResult | null> {
  const before = context.matchBefore(/(?:[\w$]+\.)?[\w$]*$/);
  const [qualifier, word = ''] = before?.text.includes('.')
    ? before.text.split('.')
    : [undefined, before?.text ?? ''];
  if (word === '' && qualifier === undefined && !context.explicit) return null;
  if (/^\d/.test(word)) return null;
  const statement = context.state.doc.toString();
  const from = context.pos - word.length;
  const fromColumns = columnsOf(statement, qualifier);
  if (qualifier !== undefined) return { from, options: await fromColumns, validFor: /^\w*$/ };
  const [columnOptions, tables] = await Promise.all([fromColumns, tablesLike(word).catch(() => [])]);
  const tableOptions = tables.map(
    ({ name, row_count }): Completion => ({
      label: name,
      type: 'class',
      detail: `${row_count.toLocaleString('en-US')} rows`,
      boost: 1,
    }),
  );
  return { from, options: [...columnOptions, ...tableOptions, ...WORDS] };
}
