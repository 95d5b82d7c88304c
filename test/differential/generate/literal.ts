// Literals and the little languages inside texts: LIKE and GLOB patterns, JSON paths, printf formats.
import fc from 'fast-check';
import { TEXTS } from '../nasty-database.ts';

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const MIN = '(-9223372036854775807 - 1)';

export const integerLiteral: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 12 }).map((n) => (n < 0 ? `(${n})` : String(n))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('100', '255', '0x1f', '(-100)', '1000000', '2147483648', '9007199254740993'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('9223372036854775807', MIN, '9223372036854775808', '4611686018427387904'),
  },
);
export const textLiteral: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'abc', 'ABC', '', ' ', '10', '1', '5 apples', '1.5').map(text),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...TEXTS.filter((value) => !/[\u2028\n\r\t]/.test(value))).map(text),
  },
);
export const realText: fc.Arbitrary<string> = fc
  .constantFrom('1.5', '0.1', '-2.5', '1e3', '3.0', '2.675', '1e15', '-0.0', '123456.789', '1e-5', '9.5')
  .map(text);
export const blobLiteral: fc.Arbitrary<string> = fc.constantFrom(
  ...["x''", "x'00'", "x'616263'", "x'31'", "x'ff'", "x'c3a9'", "x'0001ff'"],
);
export const likePattern: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('%', '_', 'a', 'B', 'c', ' ', '1', 'ä', '😀', '#', '.'), { maxLength: 5 })
  .map((parts) => text(parts.join('')));
export const globPattern: fc.Arbitrary<string> = fc
  .array(fc.constantFrom('*', '?', 'a', 'B', '[a-c]', '[^a]', '[0-9]', '1', 'é', '[]]', '#'), {
    maxLength: 5,
  })
  .map((parts) => text(parts.join('')));
export const jsonText: fc.Arbitrary<string> = fc
  .constantFrom(
    ...[
      '{"a":1,"b":"x"}',
      '[1,2.5,"x",null,true]',
      '{"a":{"b":[1,{"c":2}]}}',
      '[]',
      '{}',
      '12',
      '"t"',
      'null',
    ],
    ...[
      '{"a":1.0,"b":12345678901234567890}',
      '{"a":[1,[2,3]],"c":"é😀\\n"}',
      '[[1],[2,[3]]]',
      '{"a":"5","b":false}',
    ],
  )
  .map(text);
export const jsonPath: fc.Arbitrary<string> = fc
  .constantFrom(
    '$',
    '$.a',
    '$.b',
    '$.a.b',
    '$[0]',
    '$[1]',
    '$[#-1]',
    '$[#-2]',
    '$.a[0]',
    '$.c',
    '$."a"',
    '$.a.b[1].c',
    '$[1][0]',
  )
  .map(text);
export const jsonInsertPath: fc.Arbitrary<string> = fc
  .constantFrom('$.a', '$.n', '$[0]', '$[#]', '$.a.b', '$.a[#]', '$[5]', '$')
  .map(text);
export const printfFormat: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('x', ' ', '%%', '-'),
      fc
        .tuple(
          fc.constantFrom('', '-', '0', '+', ' ', ',', '#'),
          fc.constantFrom('', '3', '8'),
          fc.constantFrom('', '.0', '.2', '.5'),
          fc.constantFrom('d', 's', 'f', 'e', 'g', 'x', 'c', 'q', 'Q', 'i', 'X', 'o', 'u'),
        )
        .map((parts) => `%${parts.join('')}`),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => text(parts.join('')));
