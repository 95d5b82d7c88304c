// Files that become one table each: which format a file has by its ending, which table it is by its name. Opens
// none of them.

export interface TableName {
  readonly name: string;
  readonly prefix: string;
  readonly chainId: number;
  readonly tableId: string;
}

/** `prefix_chain_id`; undefined where it is none. */
export function parseTableName(name: string): TableName | undefined {
  const found = /^([A-Za-z_][A-Za-z0-9_]*)_(0|[1-9]\d{0,15})_(0|[1-9]\d{0,77})$/.exec(name);
  const [, prefix, chain, tableId] = found ?? [];
  if (prefix === undefined || chain === undefined || tableId === undefined) return undefined;
  const chainId = Number(chain);
  if (!Number.isSafeInteger(chainId) || /^(system|registry|sqlite)(_|$)/i.test(prefix)) return undefined;
  return { name, prefix, chainId, tableId };
}

export type Format = 'parquet' | 'csv' | 'tsv' | 'json' | 'ndjson';

const ENDINGS: readonly (readonly [RegExp, Format])[] = [
  [/\.parquet$/i, 'parquet'],
  [/\.csv(\.gz)?$/i, 'csv'],
  [/\.tsv(\.gz)?$/i, 'tsv'],
  [/\.json(\.gz)?$/i, 'json'],
  [/\.(ndjson|jsonl)(\.gz)?$/i, 'ndjson'],
];

export function formatOf(file: string): Format | undefined {
  return ENDINGS.find(([ending]) => ending.test(file))?.[1];
}

/** The file's name without the ending of its format. */
export function stemOf(file: string): string {
  const ending = ENDINGS.find(([each]) => each.test(file))?.[0];
  return ending === undefined ? file : file.replace(ending, '');
}
