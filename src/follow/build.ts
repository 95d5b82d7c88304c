// Imports in a process of their own: neither the engine nor SQLite is ever loaded by who follows, and a crash or the
// memory of an import ends with it. While a source changes, the process stays for the next one.
import type { ImportOrder, ImportResult } from './import-process.ts';
import { type Importer, startImporter } from './importer.ts';

export interface Built {
  /** The import's last line: what it published, or why it failed. */
  readonly line: string;
  readonly ok: boolean;
  /** Id of the new snapshot; undefined where nothing had changed. */
  readonly snapshot: string | undefined;
  /** The import's lines about tables that were served and are not in the new snapshot. */
  readonly removed: readonly string[];
}

export interface BuilderOptions {
  readonly source: string;
  readonly data: string;
  readonly keepSnapshots: number;
  readonly columnarRows: number;
  readonly indexRows: number;
  readonly indexColumns: readonly string[];
  readonly importMemory: number;
  /** Ends the import that is under way, which then leaves nothing behind. */
  readonly signal: AbortSignal;
  /** In tests. */
  readonly idleMs?: number;
}

export interface Builder {
  /** One at a time. Never rejects: what went wrong is in what it gives. */
  build(): Promise<Built>;
  /** Interrupts an import that is under way. Done when no process is left. */
  close(): Promise<void>;
}

/** Without an import for so long, the process ends: it has some 60 MB. */
const IDLE_MS = 10_000;

export function createBuilder(options: BuilderOptions): Builder {
  const { source, data, signal, idleMs = IDLE_MS } = options;
  const order: ImportOrder = [source, '--data', data, '--update'];
  /** Those that are not gone yet. */
  const importers = new Set<Importer>();
  let kept: Importer | undefined;
  let idle: NodeJS.Timeout | undefined;
  let building: Promise<Built> | undefined;
  let closed = false;

  const start = async (): Promise<Importer> => {
    const importer = await startImporter(settingsOf(options));
    importers.add(importer);
    void importer.ended.then(() => {
      importers.delete(importer);
      if (kept === importer) kept = undefined;
    });
    return importer;
  };
  const letGo = (): void => {
    kept?.letGo();
    kept = undefined;
  };
  const runIn = async (importer: Importer): Promise<Built | 'not begun'> => {
    let begun = false;
    const stop = (): void => importer.stop();
    if (signal.aborted || closed) stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const result = await importer.run(order, () => {
        begun = true;
      });
      if (result === undefined)
        return begun ? failure(`the import ended with ${await importer.ended}`) : 'not begun';
      kept = result.ends ? undefined : importer;
      if (kept !== undefined) idle = setTimeout(letGo, idleMs).unref();
      return builtOf(result);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };

  const build = async (): Promise<Built> => {
    clearTimeout(idle);
    const before = kept;
    kept = undefined;
    try {
      // One that had nothing to do may have been ended before it was asked.
      const built = before === undefined ? 'not begun' : await runIn(before);
      if (built !== 'not begun') return built;
      const importer = await start();
      const own = await runIn(importer);
      return own === 'not begun' ? failure(`the import ended with ${await importer.ended}`) : own;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return failure(`the import cannot be started: ${why}`);
    }
  };

  return {
    build() {
      building = build();
      return building;
    },
    async close() {
      closed = true;
      for (const importer of importers) importer.stop();
      await building;
      clearTimeout(idle);
      for (const importer of importers) importer.stop();
      await Promise.all([...importers].map(({ ended }) => ended));
    },
  };
}

function settingsOf(options: BuilderOptions): Readonly<Record<string, string>> {
  const { keepSnapshots, columnarRows, indexRows, indexColumns, importMemory } = options;
  return {
    TABLEGATE_KEEP_SNAPSHOTS: String(keepSnapshots),
    TABLEGATE_COLUMNAR_ROWS: String(columnarRows),
    TABLEGATE_IMPORT_MEMORY: String(importMemory),
    TABLEGATE_INDEX_ROWS: String(indexRows),
    TABLEGATE_INDEX_COLUMNS: indexColumns.join(','),
  };
}

function builtOf({ code, out, err }: ImportResult): Built {
  if (code !== 0) return failure(failureLine(err) ?? `the import ended with exit code ${code}`);
  return {
    ok: true,
    line: out.trimEnd().split('\n').at(-1) ?? '',
    snapshot: /^snapshot (\d+-[0-9a-f]+):/m.exec(out)?.[1],
    removed: out.split('\n').filter((line) => line.startsWith('removed ')),
  };
}

const failure = (line: string): Built => ({ ok: false, line, snapshot: undefined, removed: [] });

function failureLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .filter((each) => each.startsWith('tablegate: '))
    .at(-1);
  return line?.slice('tablegate: '.length);
}
