// What a network's traffic is: hundreds of shapes, each a lookup or a short list, with literals of their own.
import { createRandom, type Random, wholeBetween } from '../../random.ts';
import type { Dataset } from '../dataset.ts';
import { latencyAtMost, rateAtLeast } from '../goals.ts';
import { type Ask, ask, firstBound, type Workload } from '../workload.ts';

const SHAPES = 300;

type Columns = readonly string[];
/** @param also a number that is new in each statement */
type Form = (data: Dataset, columns: string, random: Random, also: number) => Ask;

const RIG_COLUMNS: Columns = ['name', 'image', 'image_alpha', 'thumb', 'owner', 'minted_at'];
const PART_COLUMNS: Columns = ['value', 'display_type'];
const FLIGHT_COLUMNS: Columns = ['date', 'delay', 'distance', 'origin', 'destination'];

const rig = (data: Dataset, random: Random): number => wholeBetween(random, 1, data.rigs.rows - 20);

/** Each selects its key too, which shows that the rows are the right ones. */
const FORMS: readonly { readonly columns: Columns; readonly form: Form }[] = [
  {
    columns: RIG_COLUMNS,
    form: (data, columns, random, also) => {
      const id = rig(data, random);
      const where = `where id = ${id} and minted_at >= -${also}`;
      return ask(`select id, ${columns} from ${data.rigs.name} ${where}`, `"id":${id}`);
    },
  },
  {
    columns: RIG_COLUMNS,
    form: (data, columns, random, also) => {
      const id = rig(data, random);
      const where = `where id > ${id} and minted_at <> ${also} order by id limit 10`;
      return ask(
        `select id, ${columns} from ${data.rigs.name} ${where}`,
        `"id":${id + 1}`,
        `"id":${id + 10}`,
      );
    },
  },
  {
    columns: RIG_COLUMNS,
    form: (data, columns, random, also) => {
      const id = rig(data, random);
      const where = `where id in (${id}, ${id + 7}, ${also})`;
      return ask(`select id, ${columns} from ${data.rigs.name} ${where}`, `"id":${id}`, `"id":${id + 7}`);
    },
  },
  {
    columns: PART_COLUMNS,
    form: (data, columns, random, also) => {
      const id = rig(data, random);
      const where = `where rig_id = ${id} and value <> '${also}' order by trait_type`;
      return ask(
        `select rig_id, trait_type, ${columns} from ${data.attributes.name} ${where}`,
        `"rig_id":${id}`,
        '"Top Speed"',
      );
    },
  },
  {
    columns: PART_COLUMNS,
    form: (data, columns, random, also) => {
      const id = rig(data, random);
      const where = `where rig_id = ${id} and trait_type = 'Top Speed' and value <> '${also}'`;
      return ask(`select rig_id, ${columns} from ${data.attributes.name} ${where}`, `"rig_id":${id}`);
    },
  },
  {
    columns: FLIGHT_COLUMNS,
    form: (data, columns, random, also) => {
      const id = wholeBetween(random, 1, data.flights.rows);
      const where = `where id = ${id} and id < ${also}`;
      return ask(`select id, ${columns} from ${data.flights.name} ${where}`, `"id":${id}`);
    },
  },
  {
    columns: FLIGHT_COLUMNS,
    form: (data, columns, random, also) => {
      const id = wholeBetween(random, 1, data.flights.rows - 10);
      const where = `where id between ${id} and ${id + 9} and id < ${also}`;
      return ask(`select id, ${columns} from ${data.flights.name} ${where}`, `"id":${id}`, `"id":${id + 9}`);
    },
  },
];

/** The columns of a subset by number, each with an alias where `alias` gives one. */
export function someColumns(columns: Columns, subset: number, alias = ''): string {
  const chosen = columns.filter((_, index) => ((subset >> index) & 1) === 1);
  const list = chosen.length === 0 ? columns.slice(0, 1) : chosen;
  // Turned by the higher bits: the same columns in another order are another shape.
  const turn = (subset >> columns.length) % list.length;
  return [...list.slice(turn), ...list.slice(0, turn)]
    .map((name) => (alias === '' ? name : `${name} as ${name}_${alias}`))
    .join(', ');
}

export function formOf(index: number): { readonly columns: Columns; readonly form: Form } {
  const found = FORMS[index % FORMS.length];
  if (found === undefined) throw new Error('no forms');
  return found;
}

export const mixed: Workload = {
  name: 'mixed',
  title: 'hundreds of shapes at once',
  about: `${SHAPES} shapes of lookups and short lists over three tables; no statement repeats.`,
  targets: ['tablegate', 'reference'],
  variants: () => [{ name: 'closed 64', load: { mode: 'closed', connections: 64 } }],
  goals: [
    rateAtLeast(3, 'reference', 'closed 64'),
    latencyAtMost(
      1,
      { target: 'reference', variant: 'closed 64' },
      99,
      'closed 64',
      "p99 below the reference's (closed 64)",
    ),
  ],
  checks: 30,
  asks: (data, slice) => {
    const random = createRandom(slice.seed + slice.index);
    let bound = firstBound(slice);
    return () => {
      const shape = wholeBetween(random, 0, SHAPES - 1);
      const { columns, form } = formOf(shape);
      return form(data, someColumns(columns, 1 + Math.floor(shape / FORMS.length)), random, bound++);
    };
  },
};
