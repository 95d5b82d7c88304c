// An index of rows says what going through all of them would: values in order and in none, equal ones, texts, blocks
// of all sizes, answers of one row, of many, of none.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom, type Random, wholeBetween } from '../../../bench/random.ts';
import { createRowIndex, type RowIndex } from '../../../src/answer/indexes/row-index.ts';
import { writeIndexBlock } from '../../../src/index-block.ts';
import type { IndexDefinition, IndexTerm, Limits, Literal } from '../../../src/protocol.ts';
import { bodyBytes } from '../../support/body.ts';

const SEED = Number(process.env['TEST_SEED'] === 'new' ? Date.now() % 1_000_000 : 20_261_121);
const LIMITS: Limits = { deadlineMs: 1_000, maxRows: 1_000_000, maxBytes: 10_000_000 };
const PART_BYTES = 1_000_000;
const TEXTS = ['', 'a', 'b', 'aa', 'ä', '日本', '😀', "it's"];

type Values = readonly (number | string)[];
interface Row {
  readonly text: string;
  readonly values: Values;
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

async function indexOf(
  definition: IndexDefinition,
  rows: readonly Row[],
  blockRows: () => number,
): Promise<RowIndex | undefined> {
  const builder = createRowIndex(definition);
  for (let at = 0; at < rows.length || at === 0; ) {
    const block = rows.slice(at, at + blockRows());
    let end = 0;
    const ends = block.map(({ text }) => {
      end += Buffer.byteLength(text) + definition.separatorBytes;
      return end;
    });
    const separator = ','.repeat(definition.separatorBytes);
    const bytes = Buffer.from(block.map(({ text }) => text + separator).join(''));
    const values = definition.terms.map((_, i) =>
      block.map((row) => {
        const value = row.values[i] as number | string;
        return typeof value === 'string' ? latin1(value) : value;
      }),
    );
    // Now and then where a part of a reply lies: at no multiple of eight.
    const part = writeIndexBlock(
      definition.terms.map(({ kind }) => kind),
      values as never,
      ends,
      bytes,
    );
    builder.add(at % 3 === 0 ? part : shifted(part));
    at += Math.max(1, block.length);
  }
  return builder.finish();
}

function shifted(part: Uint8Array): Uint8Array {
  const memory = new Uint8Array(part.length + 3);
  memory.set(part, 3);
  return memory.subarray(3);
}

const compare = {
  '=': (a: number | string, b: number | string) => a === b,
  '<': (a: number | string, b: number | string) => a < b,
  '<=': (a: number | string, b: number | string) => a <= b,
  '>': (a: number | string, b: number | string) => a > b,
  '>=': (a: number | string, b: number | string) => a >= b,
};

function byGoingThrough(
  definition: IndexDefinition,
  rows: readonly Row[],
  literals: readonly Literal[],
): { readonly rows: number; readonly body: string } {
  const soughtIn = ({ kind, literal }: IndexTerm): number | string => {
    const text = literals[literal]?.text ?? '';
    return kind === 'integer' ? Number(text) : text;
  };
  const fitting = rows.filter(({ values }) =>
    definition.terms.every((term, i) => compare[term.operator](values[i] as number | string, soughtIn(term))),
  );
  const count = (place: number | undefined, otherwise: number): number =>
    place === undefined ? otherwise : Number(literals[place]?.text);
  const offset = count(definition.offset, 0);
  const taken = fitting.slice(offset, offset + count(definition.limit, rows.length));
  const separator = ','.repeat(definition.separatorBytes);
  const body = definition.open + taken.map(({ text }) => text).join(separator) + definition.close;
  return { rows: taken.length, body };
}

const literal = (value: number | string): Literal => ({
  kind: typeof value === 'number' ? 'integer' : 'text',
  text: String(value),
});

/** Each column rises, falls, stands or jumps; texts always jump. */
function columnOf(random: Random, kind: IndexTerm['kind'], rows: number): Values {
  const spread = random() < 0.5 ? rows : 5;
  if (kind === 'text') return Array.from({ length: rows }, () => TEXTS[wholeBetween(random, 0, 7)] ?? '');
  const values = Array.from({ length: rows }, () => wholeBetween(random, -spread, spread));
  const order = wholeBetween(random, 0, 3);
  if (order === 0) values.sort((a, b) => a - b);
  if (order === 1) values.sort((a, b) => b - a);
  if (order === 2) values.fill(wholeBetween(random, -3, 3));
  return values;
}

test(`what is found is what fits (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  let answered = 0;
  for (let round = 0; round < 400; round++) {
    const kinds = Array.from({ length: wholeBetween(random, 0, 3) }, () =>
      pick(['integer', 'text'] as const),
    );
    const terms = kinds.map((kind, i): IndexTerm => {
      const operator = kind === 'text' || random() < 0.4 ? '=' : pick(['<', '<=', '>', '>='] as const);
      return { literal: i, kind, operator };
    });
    const limited = terms.length === 0 || random() < 0.5;
    const definition: IndexDefinition = {
      terms,
      limit: limited ? terms.length : undefined,
      offset: limited && random() < 0.5 ? terms.length + 1 : undefined,
      columns: 1,
      open: pick(['[', '', '{"columns":[{"name":"ü"}],"rows":[']),
      close: pick([']', '']),
      separatorBytes: pick([0, 1]),
    };
    const count = pick([0, 1, 2, 17, 300]);
    const columns = kinds.map((kind) => columnOf(random, kind, count));
    const ascii = random() < 0.5;
    const rows = Array.from({ length: count }, (_, i): Row => {
      const text = ascii ? `{"row":${i}}` : `{"row":"${pick(TEXTS)} ${i}"}`;
      return { text, values: columns.map((column) => column[i] as number | string) };
    });
    const index = await indexOf(definition, rows, () => pick([1, 7, 1_000]));
    if (index === undefined) throw new Error(`no index of ${count} rows: ${JSON.stringify(definition)}`);
    for (let ask = 0; ask < 20; ask++) {
      const literals = [
        ...kinds.map((kind, i) =>
          literal(
            random() < 0.8 && count > 0
              ? (pick(columns[i] ?? []) as number | string)
              : kind === 'text'
                ? 'none'
                : wholeBetween(random, 0, 400),
          ),
        ),
        literal(pick([0, 1, 2, 10, 1_000])),
        literal(pick([0, 1, 5, 400])),
      ];
      const expected = byGoingThrough(definition, rows, literals);
      const found = index.find(literals, LIMITS, PART_BYTES);
      if (found === undefined) throw new Error(`nothing said: ${JSON.stringify([definition, literals])}`);
      answered++;
      const what = JSON.stringify([definition, literals]);
      assert.is(bodyBytes(found.body).toString(), expected.body, what);
      assert.is(found.rows, expected.rows, what);
    }
  }
  assert.is(answered, 8_000);
});

const BY_ID: IndexDefinition = {
  terms: [{ literal: 0, operator: '=', kind: 'integer' }],
  columns: 1,
  open: '[',
  close: ']',
  separatorBytes: 1,
};
const rowsOf = (ids: readonly number[]): Row[] => ids.map((id) => ({ text: `${id}`, values: [id] }));
const counted = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('literals that no index can compare, and answers past a limit, are the engine’s', async () => {
  const index = await indexOf(BY_ID, rowsOf([1, 2, 2, 3]), () => 10);
  const find = (text: string, limits: Partial<Limits> = {}): string | undefined =>
    index?.find([{ kind: 'integer', text }], { ...LIMITS, ...limits }, PART_BYTES)?.body.toString();
  assert.is(find('2'), '[2,2]');
  assert.is(find('0x2'), '[2,2]');
  assert.is(find('0000000000000000000002'), '[2,2]');
  assert.is(find('9007199254740993'), undefined, 'not exact as a number');
  assert.is(find('99999999999999999999'), undefined, 'a real, to SQLite');
  assert.is(find('2', { maxRows: 1 }), undefined);
  assert.is(find('2', { maxBytes: 4 }), undefined);
  assert.is(find('1', { maxRows: 1 }), '[1]');
  assert.is(index?.find([{ kind: 'text', text: '2' }], LIMITS, PART_BYTES), undefined);
});

test('a head that is longer than a part is given out before the rows', async () => {
  const open = `{"columns":[{"name":"${'ü'.repeat(300)}"}],"rows":[`;
  const definition: IndexDefinition = { ...BY_ID, open, close: ']}' };
  const index = await indexOf(definition, rowsOf([1, 2, 2, 3]), () => 3);
  for (const partBytes of [1, 7, 600, 700]) {
    const found = index?.find([literal(2)], LIMITS, partBytes);
    const parts = [bodyBytes(found?.body ?? '')];
    for await (const part of found?.rest ?? []) parts.push(Buffer.from(part));
    assert.is(Buffer.concat(parts).toString(), `${open}2,2]}`, `${partBytes} bytes a part`);
  }
});

test('a negative LIMIT or OFFSET, which only a param can be, is the engine’s', async () => {
  const definition: IndexDefinition = { ...BY_ID, terms: [], limit: 0, offset: 1 };
  const index = await indexOf(definition, rowsOf([1, 2, 3]), () => 10);
  assert.is(index?.find([literal(2), literal(1)], LIMITS, PART_BYTES)?.body, '[2,3]');
  assert.is(index?.find([literal(-1), literal(1)], LIMITS, PART_BYTES), undefined);
  assert.is(index?.find([literal(2), literal(-1)], LIMITS, PART_BYTES), undefined);
});

test('what cannot be found fast has no index, or is not looked for', async () => {
  const jumping = counted(5_000).map((i) => (i * 7) % 5_000);
  const over: IndexDefinition = { ...BY_ID, terms: [{ literal: 0, operator: '>', kind: 'integer' }] };
  assert.is(await indexOf(over, rowsOf(jumping), () => 1_000), undefined);
  const same = { ...BY_ID, terms: [...BY_ID.terms, { literal: 1, operator: '>', kind: 'integer' } as const] };
  const rows = jumping.map((id): Row => ({ text: `${id}`, values: [1, id] }));
  const index = await indexOf(same, rows, () => 1_000);
  assert.is(
    index?.find([literal(1), literal(4_990)], LIMITS, PART_BYTES),
    undefined,
    'too many to look through',
  );
  assert.is(index?.find([literal(2), literal(4_990)], LIMITS, PART_BYTES)?.body, '[]');
});

test('a large answer comes in parts, which are copies', async () => {
  const rows = counted(300).map((id): Row => ({ text: `"${id} ${'x'.repeat(id)}"`, values: [id] }));
  const over: IndexDefinition = { ...BY_ID, terms: [{ literal: 0, operator: '>=', kind: 'integer' }] };
  for (const blockRows of [1, 70, 300]) {
    const index = await indexOf(over, rows, () => blockRows);
    for (const partBytes of [1, 1_000, 44_000, 1_000_000]) {
      const found = index?.find([literal(100)], LIMITS, partBytes);
      if (found === undefined) throw new Error('nothing said');
      const parts = [bodyBytes(found.body)];
      for await (const part of found.rest ?? []) {
        parts.push(Buffer.from(part));
        part.fill(0);
      }
      const expected = byGoingThrough(over, rows, [literal(100)]);
      assert.is(
        Buffer.concat(parts).toString(),
        expected.body,
        `${blockRows} rows a block, ${partBytes} bytes a part`,
      );
      assert.is(found.rows, 200);
      assert.is(found.rest === undefined, expected.body.length <= partBytes);
      if (partBytes > 1) for (const part of parts) assert.ok(part.length <= partBytes + 1);
    }
  }
});

test.run();
