// Scans of the large table with one function each, as analysts write them all day: none may be slower than SQLite.
import type { LoadLine } from '../../results.ts';
import type { Goal } from '../goals.ts';
import { startTablegate } from '../targets/tablegate.ts';
import { cell, sameRows } from '../truth.ts';
import { queryPath, type TargetName } from '../workload.ts';
import { type Peer, startPeer } from './peer.ts';
import { type Asked, around, askOnce, type Study, timedLine } from './study.ts';

/** Name, what is selected, and a condition of its own. Columns are those of the flights. */
const SCANS: readonly (readonly [name: string, selected: string, condition?: string])[] = [
  ['strftime month', "max(strftime('%m', date))"],
  ['strftime weekday', "max(strftime('%w %H', date))"],
  ['date', 'max(date(date))'],
  ['datetime', 'max(datetime(date))'],
  ['time', 'max(time(date))'],
  ['julianday', 'max(julianday(date))'],
  ['unixepoch', 'sum(unixepoch(date))'],
  ['date + 1 month', "max(date(date, '+1 month'))"],
  ['start of month', "max(date(date, 'start of month'))"],
  ['text + 0', 'sum(date + 0)'],
  ['printf %05d', "max(printf('%05d', delay))"],
  ['printf %s', "max(printf('%s-%s', origin, destination))"],
  ['format %d', "max(format('%d/%d', delay, distance))"],
  ['round to 1 digit', 'max(round(delay / 7.0, 1))'],
  ['round', 'sum(round(distance / 3.0))'],
  ['abs', 'sum(abs(delay))'],
  ['substr', 'max(substr(date, 1, 7))'],
  ['upper', 'max(upper(origin))'],
  ['lower', 'min(lower(destination))'],
  ['length', 'sum(length(destination))'],
  ['replace', "max(replace(date, '-', '/'))"],
  ['trim', "max(trim(origin, 'A'))"],
  ['instr', "sum(instr(destination, 'A'))"],
  ['hex', 'max(hex(origin))'],
  ['quote', 'max(quote(date))'],
  ['unicode', 'sum(unicode(origin))'],
  ['coalesce', 'sum(coalesce(delay, 0))'],
  ['iif', 'sum(iif(delay > 15, 1, 0))'],
  ['case', "count(case when origin = 'ATL' then 1 end)"],
  ['max of two', 'sum(max(delay, distance))'],
  ['typeof', 'max(typeof(delay))'],
  ['like a%', 'count(*)', "destination like 'a%'"],
  ['like %tl%', 'count(*)', "origin like '%tl%'"],
  ['like, three wildcards', 'count(*)', "date like '%-01-%:3%'"],
  ['glob A*', 'count(*)', "origin glob 'A*'"],
  ['cast to integer', 'sum(cast(substr(date, 1, 4) as integer))'],
  ['cast to text', 'max(cast(distance as text))'],
  ['concatenation', "max(origin || '-' || destination)"],
  ['json_object', "max(json_object('from', origin, 'delay', delay))"],
  ['json_extract', `sum(json_extract('{"a":' || distance || '}', '$.a'))`],
  ['json_group_array', 'length(json_group_array(delay))'],
  ['group_concat', 'length(group_concat(origin))'],
  ['shift', 'sum(distance << 2)'],
];

/** Ratios of the first runs, Tablegate's time to SQLite's, by scan. */
function ratios(lines: readonly LoadLine[]): number[] {
  return lines
    .filter((line) => line.target === 'tablegate' && line.round === 1)
    .flatMap((own) => {
      const other = lines.find(
        (line) => line.target === 'sqlite' && line.round === 1 && line.variant === own.variant,
      );
      return other === undefined ? [] : [(own.measures['firstMs'] ?? 0) / (other.measures['firstMs'] ?? 1)];
    });
}

/** Stands for the body of a statement that met a limit: its time counts, as one that was slower. */
const REFUSED = 'refused';

async function askOrRefused(base: string, statement: string): Promise<Asked> {
  const started = performance.now();
  try {
    return await askOnce(base, queryPath(statement));
  } catch (error) {
    if (!String(error).includes('"limit-')) throw error;
    return { ms: performance.now() - started, body: REFUSED };
  }
}

const goals: readonly Goal[] = [
  {
    text: `slower than SQLite, of ${SCANS.length} scans (first of two runs)`,
    measure: (lines) => {
      const all = ratios(lines);
      return all.length === 0 ? undefined : all.filter((ratio) => ratio > 1).length;
    },
    met: (value) => value === 0,
    show: String,
  },
  {
    text: 'the worst of them <= 1 x the time of SQLite',
    measure: (lines) => {
      const all = ratios(lines);
      return all.length === 0 ? undefined : Math.max(...all);
    },
    met: (value) => value <= 1,
    show: (value) => `${value.toFixed(2)} x`,
  },
];

export const functions: Study = {
  name: 'functions',
  title: `${SCANS.length} scans with one function each`,
  about:
    'An aggregate over one function of the columns of all flights; the literals differ in every statement.',
  goals,
  async run(context) {
    const { dataset, seed, wants } = context;
    const gateway = wants('tablegate')
      ? await startTablegate({ root: context.root, database: dataset.database })
      : undefined;
    let sqlite: Peer | undefined;
    try {
      sqlite = await startPeer('sqlite.ts', [dataset.database]);
      const peer = sqlite;
      let bound = 1 + (seed % 100_000) * 1_000;
      for (const [index, [variant, selected, condition]] of SCANS.entries()) {
        const statement = (): string =>
          `select ${selected} as v from ${dataset.flights.name} where id > -${bound++}` +
          (condition === undefined ? '' : ` and ${condition}`);
        const answers: unknown[] = [];
        const ask = async (target: TargetName, one: (statement: string) => Promise<Asked>): Promise<void> => {
          const surroundings = around();
          const runs = [await one(statement()), await one(statement())];
          const whole = runs.filter(({ body }) => body !== REFUSED);
          answers.push(...whole.map(({ body }) => JSON.parse(body)));
          const milliseconds = runs.map(({ ms }) => ms);
          context.emit(
            timedLine(functions.name, seed, {
              variant,
              target,
              round: 1,
              milliseconds,
              measures: { firstMs: milliseconds[0] ?? Number.NaN, refused: runs.length - whole.length },
              surroundings: surroundings(),
            }),
          );
        };
        const own = (): Promise<void> =>
          gateway === undefined
            ? Promise.resolve()
            : ask('tablegate', (text) => askOrRefused(gateway.base, text));
        const other = (): Promise<void> => ask('sqlite', (text) => peer.ask(text));
        for (const run of index % 2 === 0 ? [own, other] : [other, own]) await run();
        const shown = JSON.stringify(answers);
        // JSON texts are shown as JSON by the gateway alone.
        const plain = (rows: unknown): unknown => (rows as { v: unknown }[]).map(({ v }) => ({ v: cell(v) }));
        if (!answers.every((rows) => sameRows(plain(rows), plain(answers[0]))))
          throw new Error(`functions, ${variant}: ${shown}`);
      }
    } finally {
      await sqlite?.stop();
      await gateway?.stop();
    }
  },
};
