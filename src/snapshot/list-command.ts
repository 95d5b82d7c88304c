// `tablegate snapshots`: which snapshots the data folder has, and which of them is current.
import { readArguments } from '../cli/arguments.ts';
import { listSnapshots, servedSnapshot, snapshotsFolder } from './folder.ts';
import { pinnedSnapshot, pulledSnapshot } from './hold.ts';
import { snapshotsInUse } from './lease.ts';
import { readManifest } from './manifest.ts';

export interface ListedSnapshot {
  readonly id: string;
  /** Is served by every gateway that is started on the folder, and turned to by those that run. */
  readonly current: boolean;
  /** Somebody went back to it, and it stays until `rollback latest`. */
  readonly pinned: boolean;
  readonly pulled: boolean;
  /** A gateway has it open. */
  readonly served: boolean;
  /** Null in all of these where its manifest cannot be read: `fault` says why, to follow the snapshot's name. */
  readonly created_at: string | null;
  readonly age_s: number | null;
  readonly bytes: number | null;
  readonly tables: number | null;
  readonly rows: number | null;
  readonly source: string | null;
  readonly fault: string | null;
}

/** Newest first. */
export async function describeSnapshots(dir: string, nowMs: number): Promise<readonly ListedSnapshot[]> {
  const folder = snapshotsFolder(dir);
  const current = (await servedSnapshot(dir))?.id;
  const pinned = await pinnedSnapshot(folder);
  const pulled = (await pulledSnapshot(folder))?.id;
  const used = await snapshotsInUse(dir);
  return Promise.all(
    (await listSnapshots(dir)).map(async ({ id, path }) => {
      const state = {
        ...{ id, current: id === current, pinned: id === pinned, pulled: id === pulled },
        served: used.has(id),
      };
      try {
        const { createdAt, files, versions, rows, source } = await readManifest(path);
        return {
          ...state,
          created_at: new Date(createdAt * 1000).toISOString(),
          age_s: Math.max(0, Math.round(nowMs / 1000 - createdAt)),
          bytes: sum(Object.values(files).map(({ bytes }) => bytes)),
          tables: Object.keys(versions).length,
          rows: sum(Object.values(rows)),
          ...{ source, fault: null },
        };
      } catch (error) {
        const fault = error instanceof Error ? error.message : String(error);
        const unknown = {
          created_at: null,
          age_s: null,
          bytes: null,
          tables: null,
          rows: null,
          source: null,
        };
        return { ...state, ...unknown, fault };
      }
    }),
  );
}

export async function snapshotsCommand(
  args: readonly string[],
  out: { write(text: string): unknown } = process.stdout,
): Promise<number> {
  const { config, flags } = readArguments(args, process.env, ['--json']);
  const found = await describeSnapshots(config.data, Date.now());
  if (flags.has('--json')) out.write(`${JSON.stringify(found, null, 2)}\n`);
  else out.write(found.length === 0 ? `no snapshots in ${config.data}\n` : tableText(found));
  return 0;
}

const HEAD = ['', 'id', 'age', 'bytes', 'tables', 'rows', 'state'] as const;
/** Numbers stand under each other by their last digit. */
const RIGHT: readonly number[] = [2, 3, 4, 5];

function tableText(found: readonly ListedSnapshot[]): string {
  const lines = [HEAD, ...found.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          RIGHT.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function cellsOf(each: ListedSnapshot): readonly string[] {
  const { id, current, pinned, pulled, served, age_s: age, fault } = each;
  const states = [
    current && 'current',
    served && 'served',
    pinned && 'pinned',
    pulled && 'pulled',
    fault !== null && `cannot be read: it ${fault}`,
  ];
  const state = states.filter((word) => word !== false).join(', ');
  return [
    ...[current ? '*' : '', id, age === null ? '?' : ageText(age)],
    ...[each.bytes, each.tables, each.rows].map((value) => value?.toLocaleString('en-US') ?? '?'),
    state,
  ];
}

function ageText(seconds: number): string {
  const units = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ] as const;
  const unit = units.find(([length]) => seconds >= 2 * length);
  return unit === undefined ? `${seconds} seconds` : `${Math.floor(seconds / unit[0])} ${unit[1]}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
