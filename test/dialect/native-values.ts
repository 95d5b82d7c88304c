// Random values that keep what the facts of their columns promise, with the edges among them, as a SQLite script.

/** mulberry32 */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export function nativeValues(seed: number, rows: number): string {
  const next = random(seed);
  const below = (n: number): number => Math.floor(next() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const word = (letters: string, most: number): string =>
    Array.from({ length: below(most + 1) }, () => pick([...letters])).join('');
  const pad = (value: number, size: number): string => String(value).padStart(size, '0');
  const date = (): string => {
    const at = new Date(
      pick([
        Date.UTC(2000, below(12), 1 + below(31)),
        Date.UTC(1, 0, 1) - 62135596800000 * 0,
        Date.UTC(1900 + below(300), below(12), pick([1, 28, 29, 30, 31])),
        Date.UTC(9990 + below(9), below(12), below(31)),
        Date.UTC(100 + below(900), below(12), below(31)),
      ]),
    );
    return `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1, 2)}-${pad(at.getUTCDate(), 2)}`;
  };
  const time = (): string =>
    pick(['00:00:00', '23:59:59', `${pad(below(24), 2)}:${pad(below(60), 2)}:${pad(below(60), 2)}`]);
  const real = (): string =>
    pick([
      () => String(below(2_000_000) / 1000 - 1000),
      () => String((below(4000) - 2000) / 8),
      () => String((below(40_000) - 20_000) / 100 + 0.005),
      () => String(below(2000) / 20),
      () => String((next() - 0.5) * 1e6),
      () => String((below(2000) - 1000) / 7),
      () =>
        pick([
          '0.0',
          '-0.0',
          '0.5',
          '-0.5',
          '2.5',
          '1e300',
          '-1e300',
          '1e-300',
          '0.49999999999999994',
          '4503599627370495.5',
          '9007199254740993.0',
          '1099511627775.5',
          '1.005',
          '2.675',
          '1.015',
          '0.15',
          '0.25',
          '0.35',
          '1e15',
          '123456789.125',
        ]),
    ])();
  const cell = (make: () => string): string => (below(12) === 0 ? 'null' : make());
  const lines = Array.from({ length: rows }, (_, i) => {
    const dt = (): string => `${date()} ${time()}`;
    return [
      i + 1,
      cell(() => String(below(4001) - 2000)),
      cell(() =>
        pick([
          '9223372036854775807',
          '-9223372036854775808',
          '0',
          '1',
          '-1',
          '9007199254740993',
          String(below(1e9) * 1e6),
        ]),
      ),
      cell(() => real()),
      cell(() => quoted(word('abAB%_ .\'"\\[]^-xyz019', 12))),
      cell(() => quoted(word('abéÉßK\u212a\u0130İ%_zZ日 😀', 8))),
      cell(() => quoted(date())),
      cell(() => quoted(dt())),
      cell(() => quoted(pick(['0', '-5', '42', '123456789012345678', String(below(100000))]))),
      cell(() =>
        quoted(JSON.stringify({ a: word('xyé"\\ ', 5), b: { c: ['p', word('q', 3)] }, 'n l': 'z' })),
      ),
      cell(() =>
        String(pick([0, -1, 1_600_000_000 + below(1e8), -62135596800, 253402300799, below(1e9) - 5e8])),
      ),
      cell(() => `x'${word('0123456789abcdef', 0)}${pick(['', '00', 'ff', '616263', '27'])}'`),
      cell(() => String(below(63))),
      cell(() => quoted(word('abkéß\u212a%_ [.', 8))),
      cell(() => quoted(word('ABKÉS\u212a%_ [.', 8))),
    ].join(',');
  });
  return `create table w(id integer primary key, i integer, big integer, r real, t text, u text, d text, dt text, n text, j text, ts integer, b blob, s integer, lo text, up text) strict;
insert into w values ${lines.map((line) => `(${line})`).join(',\n')};`;
}
