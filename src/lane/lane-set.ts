// The lanes that there are and the snapshot that they read: started where they are needed, opened together, and closed
// together. Knows nothing of which statement goes where.
import { existsSync } from 'node:fs';
import type { Observe } from '../base/observe.ts';
import { columnsPath } from '../snapshot/layout.ts';
import type { Failed, LaneSettings, SnapshotRef } from '../wire/protocol.ts';
import type { Lane } from './lane.ts';
import type { LaneConfig, LaneOverrides, laneSettings } from './lane-settings.ts';
import { createQuarantine, type Quarantine } from './quarantine.ts';
import { createRank } from './rank.ts';
import { createRowLine, type RowLine } from './row-line.ts';
import { createScans, type Scans } from './scans.ts';
import { createSolo, type Solo } from './solo.ts';
import { laneStarter } from './start-lane.ts';
import { type LaneStats, statsOf } from './stats.ts';
import type { Ticket } from './ticket.ts';

export interface LaneSetOptions {
  readonly config: LaneConfig;
  readonly overrides: LaneOverrides;
  readonly settings: ReturnType<typeof laneSettings>;
  /** The scan lane is the only one that answers. */
  readonly scanAlone: boolean;
  readonly observe: Observe;
  /** A lane is free for what has waited for it. */
  readonly send: (ticket: Ticket, lane: Lane) => void;
  /** Nothing more is done for it. */
  readonly answer: (ticket: Ticket, reply: Failed) => void;
}

/** SQLite visits so many rows in the time that DuckDB takes to start. */
const SOON_VISITS = 50_000_000;

export class LaneSet {
  readonly rows: readonly Lane[];
  readonly scan: Lane;
  /** Both processes of the scan lane. */
  readonly scans: Scans;
  readonly remote: Lane | undefined;
  readonly rowLine: RowLine;
  readonly long: Solo;
  readonly quarantine: { readonly rows: Quarantine; readonly scan: Quarantine };
  readonly #options: LaneSetOptions;
  #snapshot: SnapshotRef | undefined;
  #scanStarted: boolean;
  /** Whether a table of the snapshot is large enough for the scan lane to have it. */
  #hasColumns = false;

  constructor(options: LaneSetOptions) {
    const { config, overrides, settings, observe, send, answer } = options;
    this.#options = options;
    this.#scanStarted = options.scanAlone;
    const start = laneStarter(config, observe);
    const startOpened = (of: LaneSettings): Lane => {
      const started = start(of);
      if (this.#snapshot !== undefined) started.open(this.#snapshot).catch(() => {});
      return started;
    };
    const rows = Array.from({ length: overrides.only === 'scan' ? 0 : config.rowLanes }, () =>
      start(settings.rows),
    );
    this.rows = rows;
    this.scan = start(settings.scan);
    this.remote = config.trino === '' || overrides.only !== undefined ? undefined : start(settings.remote);
    this.quarantine = {
      rows: createQuarantine('rows', observe),
      scan: createQuarantine('scan', observe),
    };
    this.scans = createScans({
      main: this.scan,
      startApart: config.scanApart === 'off' ? undefined : () => startOpened(settings.apart),
      // It has no files for what does not fit into its memory.
      prefersApart: config.scanApart === 'warm' && config.spillBytes === 0,
      quarantine: this.quarantine.scan,
    });
    this.long = createSolo({
      lanes: config.longLanes,
      max: config.maxQueue,
      rank: createRank(config.scanNice),
      startLane: () => startOpened(settings.long),
      run: send,
      stop: ({ at }) => at?.lane.putBack(at.id),
      answer,
    });
    this.rowLine = createRowLine({
      lanes: rows,
      send: (ticket, lane) => send(ticket, rows[lane] as Lane),
      answer,
    });
  }

  get snapshot(): SnapshotRef | undefined {
    return this.#snapshot;
  }

  get healthy(): boolean {
    if (this.#snapshot === undefined) return false;
    return this.#options.scanAlone ? this.scan.serving : this.rows.some(({ serving }) => serving);
  }

  /** Statements and jobs that have no answer yet. */
  get waiting(): number {
    return this.#all().reduce((sum, { pending }) => sum + pending, this.long.waiting + this.rowLine.waiting);
  }

  /**
   * All tables are small, and the scan lane does not serve yet: SQLite has answered before DuckDB is there.
   * @param visits rows that are visited at most; undefined: not known
   */
  scanIsLate(visits: number | undefined): boolean {
    return !this.#hasColumns && !this.scan.serving && (visits ?? Number.POSITIVE_INFINITY) <= SOON_VISITS;
  }

  /** Where it waits for its first statement, that has come. */
  startScan(): void {
    if (this.#scanStarted || this.#snapshot === undefined) return;
    this.#scanStarted = true;
    this.scan.open(this.#snapshot).catch(() => {});
  }

  /** Those that have been started, or are to be; long lanes follow once it is in use. */
  #first(): readonly Lane[] {
    return [...this.rows, ...(this.#scanStarted ? [this.scan] : [])];
  }

  /** Nobody waits for them to open a snapshot. */
  #later(): readonly Lane[] {
    return [...this.long.lanes, ...[this.scans.apart, this.remote].filter((each) => each !== undefined)];
  }

  #all(): readonly Lane[] {
    return [...this.#first(), ...this.#later()];
  }

  #ready(): readonly Lane[] {
    return [...this.#first(), ...(this.scans.apart === undefined ? [] : [this.scans.apart])];
  }

  /** See Lanes.prepareSnapshot. */
  async prepare(wanted: SnapshotRef): Promise<void> {
    // Where there are no columns, hardly a statement is the scan lane's: it waits for one.
    const { config, overrides } = this.#options;
    if (config.scanWarm === 'on' && existsSync(columnsPath(wanted.path))) {
      this.#scanStarted = true;
      if (config.scanApart === 'warm' && overrides.only === undefined) this.scans.standBy();
    }
    const ready = this.#ready();
    const serving = ready.filter((each) => each.serving);
    // A lane that is just being started must hold nobody up: it serves only once it has what is in use then.
    const needed = serving.length > 0 ? serving : this.#first();
    for (const each of ready) if (!needed.includes(each)) each.open(wanted).catch(() => {});
    const results = await Promise.allSettled(needed.map((each) => each.open(wanted)));
    // A second process that is ended meanwhile refuses nothing: the next one has what is in use then.
    const own = this.#first();
    const failed = results.find(({ status }, i) => status === 'rejected' && own.includes(needed[i]!));
    if (failed?.status !== 'rejected') return;
    // A lane that did open it must not keep it open.
    if (this.#snapshot !== undefined) for (const each of this.#ready()) each.use(this.#snapshot);
    throw failed.reason;
  }

  /** See Lanes.useSnapshot. */
  use(wanted: SnapshotRef): void {
    const isFirst = this.#snapshot === undefined;
    this.#snapshot = wanted;
    this.#hasColumns = existsSync(columnsPath(wanted.path));
    for (const each of this.#first()) each.use(wanted);
    // A long statement hears nothing until it ends: nobody waits for its lane. What comes next stands behind the opening.
    for (const each of this.#later()) {
      each.open(wanted).catch(() => {});
      each.use(wanted);
    }
    const { config, overrides } = this.#options;
    if (isFirst && overrides.only === undefined) this.long.warm(config.spareLanes);
  }

  stats(): readonly LaneStats[] {
    return [
      ...this.rows.map((each, i) => statsOf(i === 0 ? 'rows' : `rows${i + 1}`, each)),
      ...(this.#scanStarted ? [statsOf('scan', this.scan)] : []),
      ...(this.scans.apart === undefined ? [] : [statsOf('scan2', this.scans.apart)]),
      ...this.long.lanes.map((each, i) => statsOf(i === 0 ? 'long' : `long${i + 1}`, each)),
      ...(this.remote === undefined ? [] : [statsOf('remote', this.remote)]),
    ];
  }

  async close(): Promise<void> {
    this.long.close();
    this.rowLine.close();
    this.scans.close();
    // One that was never started has its heartbeat, too.
    await Promise.all([...new Set([...this.#all(), this.scan])].map((each) => each.close()));
  }
}
