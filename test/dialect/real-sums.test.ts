// Sums of reals in the scan lane: one text whatever the threads and the run, and within two units in the last place
// of the exact sum, which is computed here from the bits of each real.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCompiler } from '../../src/dialect/compile.ts';
import { times } from '../support/ring.ts';
import type { TestTable } from '../support/snapshot.ts';
import { openTestWorker, statementJob, type TestWorker } from '../worker/support.ts';

/** Of several of the engine's row groups, so that threads share them. */
const ROWS = 130_000;
const RUNS = times(3, 20);
const GROUPS = 7;
/** Made by the engine and here, by operations that both round in one way only. */
const COLUMNS = {
  price: {
    sql: '((i * 7919) % 10400000 + 900) / 100.0::double',
    of: (i: number) => (((i * 7919) % 10_400_000) + 900) / 100,
  },
  discount: { sql: '((i * 31) % 11) / 100.0::double', of: (i: number) => ((i * 31) % 11) / 100 },
  quantity: { sql: '((i * 17) % 50 + 1)::double', of: (i: number) => ((i * 17) % 50) + 1 },
  profit: {
    sql: '((i * 7907) % 2000000) / 100.0::double',
    of: (i: number) => ((i * 7907) % 2_000_000) / 100,
  },
  noise: {
    sql: '((i * 104729) % 2000003 - 900000) / 7.0::double',
    of: (i: number) => (((i * 104_729) % 2_000_003) - 900_000) / 7,
  },
  tiny: { sql: '((i * 13) % 1000 + 1) / 3e9::double', of: (i: number) => (((i * 13) % 1000) + 1) / 3e9 },
} as const;
type Name = keyof typeof COLUMNS;
const names = Object.keys(COLUMNS) as Name[];
const values = Object.fromEntries(
  names.map((name) => [name, Float64Array.from({ length: ROWS }, (_, i) => COLUMNS[name].of(i))]),
) as Record<Name, Float64Array>;
const groupOf = (i: number): number => i % GROUPS;

const table: TestTable = {
  name: 'sums_1_1',
  primaryKey: 'id',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'g', type: 'integer' },
    ...names.map((name) => ({ name, type: 'real' }) as const),
  ],
  select: `select i + 1, i % ${GROUPS}, ${names.map((name) => COLUMNS[name].sql).join(', ')} from range(${ROWS}) t(i)`,
};
const workers: TestWorker[] = [];
test.before(async () => {
  for (const threads of [1, 2, 4])
    workers.push(await openTestWorker({ tables: [table], createCompiler, threads }));
});
test.after(() => {
  for (const worker of workers) worker.close();
});

/** A finite double as whole times two to the power of -1074. */
function wholeOf(x: number): bigint {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  const word = bits.getBigUint64(0);
  const exponent = (word >> 52n) & 0x7ffn;
  const fraction = word & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return word >> 63n === 1n ? -size : size;
}
const ulpOf = (x: number): bigint => {
  const up = new DataView(new ArrayBuffer(8));
  up.setFloat64(0, Math.abs(x));
  up.setBigUint64(0, up.getBigUint64(0) + 1n);
  return wholeOf(up.getFloat64(0)) - wholeOf(Math.abs(x));
};

/** Of whole numbers of one exponent each, since numbers of a thousand bits are slow. */
function exactSum(terms: readonly number[]): bigint {
  const sums = new Map<number, bigint>();
  for (const term of terms) {
    if (term === 0) continue;
    // The exponent of the last bit, so that the quotient is whole and below 2^53.
    const exponent = Math.max(-1074, Math.floor(Math.log2(Math.abs(term))) - 53);
    sums.set(exponent, (sums.get(exponent) ?? 0n) + BigInt(term / 2 ** exponent));
  }
  let exact = 0n;
  for (const [exponent, sum] of sums) exact += sum << BigInt(exponent + 1074);
  return exact;
}

function assertNear(found: unknown, exact: bigint, label: string, divisor = 1n): void {
  assert.type(found, 'number', label);
  const error = wholeOf(found as number) * divisor - exact;
  const most = 2n * ulpOf(found as number) * divisor;
  assert.ok((error < 0n ? -error : error) <= most, `${label}: ${found} is more than 2 ulp away`);
}

async function textOf(worker: TestWorker, statement: string): Promise<string> {
  const { outcome, text } = await worker.run(statementJob(statement));
  assert.ok(outcome.ok, `${statement}: ${JSON.stringify(outcome)}`);
  return text;
}

const at = (name: Name) => values[name];
const EXPRESSIONS: readonly (readonly [sql: string, term: (i: number) => number])[] = [
  ...names.map((name) => [name, (i: number) => at(name)[i] ?? 0] as const),
  ['price * (1 - discount)', (i) => at('price')[i]! * (1 - at('discount')[i]!)],
  [
    'price * (1 - discount) * (1 + discount)',
    (i) => at('price')[i]! * (1 - at('discount')[i]!) * (1 + at('discount')[i]!),
  ],
  ['price * quantity - profit', (i) => at('price')[i]! * at('quantity')[i]! - at('profit')[i]!],
  [
    'case when g = 3 then noise * (1 - discount) else 0.0 end',
    (i) => (groupOf(i) === 3 ? at('noise')[i]! * (1 - at('discount')[i]!) : 0),
  ],
  ['price / 7.0', (i) => at('price')[i]! / 7],
  ['noise * price', (i) => at('noise')[i]! * at('price')[i]!],
  [
    'case when g = 3 then price * (1 - discount) else 0.0 end',
    (i) => (groupOf(i) === 3 ? at('price')[i]! * (1 - at('discount')[i]!) : 0),
  ],
];

/** @returns the rows of the one text */
async function always(statement: string, runs: number): Promise<Record<string, unknown>[]> {
  const found = new Set<string>();
  for (const worker of workers)
    for (let run = 0; run < runs; run++) found.add(await textOf(worker, statement));
  assert.is(found.size, 1, `${statement}: ${[...found].slice(0, 3).join(' ')}`);
  return JSON.parse([...found].join('')) as Record<string, unknown>[];
}

const list = (name: string): string =>
  EXPRESSIONS.map(([sql], i) => `${name}(${sql}) as ${name}${i}`).join(', ');
const terms = EXPRESSIONS.map(([, term]) => Array.from({ length: ROWS }, (_, i) => term(i)));

test('sums of reals are one text in every run with 1, 2 and 4 threads, and right', async () => {
  const [sums] = await always(`select ${list('sum')} from sums_1_1`, RUNS);
  const [others] = await always(`select ${list('total')}, ${list('avg')} from sums_1_1`, 1);
  for (const [i, [sql]] of EXPRESSIONS.entries()) {
    const exact = exactSum(terms[i]!);
    assertNear(sums?.[`sum${i}`], exact, `sum(${sql})`);
    assert.is(others?.[`total${i}`], sums?.[`sum${i}`]);
    assertNear(others?.[`avg${i}`], exact, `avg(${sql})`, BigInt(ROWS));
  }
});

test('so are those of groups', async () => {
  const sums = await always(`select g, ${list('sum')} from sums_1_1 group by g order by g`, times(2, 20));
  const averages = await always(`select g, ${list('avg')} from sums_1_1 group by g order by g`, 1);
  assert.is(sums.length, GROUPS);
  for (const [i, [sql]] of EXPRESSIONS.entries())
    for (const [g, row] of sums.entries()) {
      const own = terms[i]!.filter((_, at) => groupOf(at) === g);
      const exact = exactSum(own);
      assertNear(row[`sum${i}`], exact, `sum(${sql}) of group ${g}`);
      assertNear(averages[g]?.[`avg${i}`], exact, `avg(${sql}) of group ${g}`, BigInt(own.length));
    }
});

test('over joins and subqueries sums of reals are the same in every run, too', async () => {
  const statements = [
    'select a.g, sum(a.price * (1 - b.discount)) from sums_1_1 a join sums_1_1 b on a.id = b.id + 1 group by a.g order by a.g',
    'select g, sum(volume), sum(case when id < 100000 then volume else 0 end) / sum(volume) from (select id, g, price * (1 - discount) as volume from sums_1_1) group by g order by g',
    'select avg(sqrt(price)), sum(price / quantity) from sums_1_1',
  ];
  for (const statement of statements) await always(statement, times(2, 10));
});

test('what has no sum within the two parts is left to SQLite', async () => {
  const [worker] = workers;
  const { outcome } = await worker!.run(statementJob('select sum(sin(id) / 1e9) from sums_1_1'));
  assert.not.ok(outcome.ok);
});

test.run();
