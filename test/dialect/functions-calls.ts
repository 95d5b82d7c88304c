// The reference's functions and operators as calls to try: one entry a function and number of arguments. What
// fails on some values (JSON, abs of the smallest integer) is tried in functions-json.test.ts, or guarded here.
import { type Kind, kindsOf } from './functions-values.ts';

export interface Call {
  readonly name: string;
  /** Takes as many arguments as it has places to try. */
  readonly sql: (...args: string[]) => string;
  /** Makes texts of blobs. */
  readonly texts?: boolean;
  /** Rows to leave out: what fails there. */
  readonly where?: (...args: string[]) => string;
  /** Where not all kinds are tried. */
  readonly kinds?: readonly (readonly Kind[])[];
}

const names = (list: string): readonly string[] => list.split(' ');
const one = (name: string): Call => ({ name: `${name}(X)`, sql: (x) => `${name}(${x})` });
const two = (name: string): Call => ({ name: `${name}(X, Y)`, sql: (x, y) => `${name}(${x}, ${y})` });
const three = (name: string): Call => ({
  name: `${name}(X, Y, Z)`,
  sql: (x, y, z) => `${name}(${x}, ${y}, ${z})`,
});
const operator = (word: string): Call => ({ name: `X ${word} Y`, sql: (x, y) => `(${x} ${word} ${y})` });
const prefix = (word: string): Call => ({ name: `${word} X`, sql: (x) => `(${word} ${x})` });
const postfix = (word: string): Call => ({ name: `X ${word}`, sql: (x) => `(${x} ${word})` });
const text = (call: Call): Call => ({ ...call, texts: true });

export const CALLS: readonly Call[] = [
  ...names('hex length quote typeof round sign').map(one),
  ...names('lower upper ltrim rtrim trim unicode char printf json_valid').map(one).map(text),
  // abs() of the smallest integer is an error.
  { name: 'abs(X)', sql: (x) => `abs(case when ${x} + 0 > -9000000000000000000 then ${x} end)` },
  ...names('round ifnull coalesce nullif max min').map(two),
  ...names('char instr substr glob like trim ltrim rtrim').map(two).map(text),
  ...names('iif max min coalesce').map(three),
  ...names('replace substr').map(three).map(text),
  ...names('< <= > >= = != is').map(operator),
  operator('is not'),
  ...names('|| * / % + - & | << >> and or like glob').map(operator).map(text),
  text(operator(`not like`)),
  text(operator(`not glob`)),
  ...names('- + ~').map(prefix).map(text),
  ...['isnull', 'notnull', 'is null', 'is not null', 'collate nocase'].map(postfix),
  ...names('text integer none').map((type) =>
    text({ name: `cast(X as ${type})`, sql: (x) => `cast(${x} as ${type})` }),
  ),
  { name: 'X between Y and Z', sql: (x, y, z) => `(${x} between ${y} and ${z})` },
  { name: 'X in (Y, Z)', sql: (x, y, z) => `(${x} in (${y}, ${z}))` },
  { name: 'case X when Y', sql: (x, y, z) => `case ${x} when ${y} then ${z} else ${x} end` },
  { name: 'X = Y collate nocase', sql: (x, y) => `(${x} = ${y} collate nocase)` },
  { name: 'X < Y collate rtrim', sql: (x, y) => `(${x} < ${y} collate rtrim)` },
];

/** Texts of reals have two digits more in SQLite since 3.52. */
const withoutReals = (call: Call): Call => ({
  ...call,
  kinds: kindsOf(call.sql.length).filter((kinds) => !kinds.includes('number')),
});

/** What the reference refuses. */
export const BEYOND: readonly Call[] = [
  ...names(
    'acos acosh asin asinh atan atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 radians sin sinh sqrt tan tanh trunc',
  ).map(one),
  ...names('atan2 log mod pow power').map(two),
  ...names('soundex unhex likely unlikely').map(one),
  ...names('concat octet_length').map(one).map(withoutReals),
  ...names('unhex iif if').map(two),
  ...names('concat concat_ws').map(two).map(withoutReals),
  ...names('concat concat_ws').map(three).map(withoutReals),
  { name: 'iif(X, Y, Z, Z, X)', sql: (x, y, z) => `iif(${x}, ${y}, ${z}, ${z}, ${x})` },
  ...names('date time datetime julianday unixepoch').map(one),
];
