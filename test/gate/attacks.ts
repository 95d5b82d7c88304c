// Statements that strangers send to hurt: what HARDENING's study found against the engine, in the SQL that the
// gateway takes. Each must end in an answer in bounded time and memory, whatever the answer is.

const nest = (count: number, open: string, middle: string, close: string): string =>
  open.repeat(count) + middle + close.repeat(count);
const many = (count: number, part: (i: number) => string, glue: string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(glue);

/** What the engine can interrupt: over the time limit, or done. */
export const LONG: Readonly<Record<string, string>> = {
  scan: 'select count(*) from items_1_1 a, items_1_1 b where a.id * 3 + b.id * 7 > 11',
  sort: 'select a.id from items_1_1 a, items_1_1 b order by a.id * b.id % 1000003, b.id limit 5',
  join: 'select count(*) from items_1_1 a join items_1_1 b on a.id % 100 = b.id % 100 join items_1_1 c on b.id % 10 = c.id % 10',
  group:
    'select count(*) from (select a.id * b.id as k, count(*) from items_1_1 a, items_1_1 b group by a.id * b.id)',
  distinct: 'select count(distinct a.id * 200000 + b.id) from items_1_1 a, items_1_1 b',
  recursion: 'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r',
  'recursion that grows':
    "with recursive r(t) as (select 'ab' union all select t || t from r where length(t) < 100000000) select max(length(t)) from r",
  like: "select count(*) from items_1_1 a, items_1_1 b where (a.name || b.name) like '%1%2%3%4%5%6%7%8%9%'",
  glob: "select count(*) from items_1_1 a, items_1_1 b where (a.name || b.name) glob '*1*2*3*4*5*6*7*8*9*'",
  window:
    'select sum(s) from (select sum(a.id) over (order by a.id * b.id) as s from items_1_1 a, items_1_1 b)',
  'correlated subqueries':
    'select count(*) from items_1_1 a where (select count(*) from items_1_1 b where b.id % 1000 > a.id % 997) > 5',
  'correlated exists':
    'select count(*) from items_1_1 a where exists (select 1 from items_1_1 b where b.id * a.id % 1000003 = 7)',
  group_concat: "select length(group_concat(a.name || b.name, ',')) from items_1_1 a, items_1_1 b",
  json_group_array: 'select length(json_group_array(a.name || b.id)) from items_1_1 a, items_1_1 b',
};

/** What no interrupt reaches, or what grows outside of the engine's own limit. */
export const HEAVY: Readonly<Record<string, string>> = {
  'huge replace': `select length(replace(replace(replace(printf('%0100000d', 1), '0', printf('%01000d', 1)), '0', printf('%01000d', 1)), '1', 'xx'))`,
  'huge printf': `select length(printf('%0999999999d', 1))`,
  'huge printf of many': `select sum(length(printf('%.*c', 90000000, 'x') || id)) from items_1_1`,
  'huge hex': `select length(hex(hex(hex(hex(printf('%010000000d', 1))))))`,
  'huge zeroblob': 'select length(hex(zeroblob(1000000000)))',
  'doubling concat': `select length(${many(20, () => `replace('aa', 'a', `, '')}'bbbbbbbbbb'${')'.repeat(20)})`,
  'pattern that backtracks': `select printf('%05000d', 0) like '${'%0'.repeat(30)}1'`,
  'pattern that backtracks by row': `select count(*) from items_1_1 where printf('%05000d', id) glob '${'*0'.repeat(20)}x'`,
  'json nested deep': `select json_type(printf('%.*c', 100000, '[') || printf('%.*c', 100000, ']'))`,
  'json path nested deep': `select json_extract(printf('%.*c', 200000, '[') || printf('%.*c', 200000, ']'), '$${'[0]'.repeat(200)}')`,
  'json each of a large array': `select count(*) from json_each('[' || (select group_concat(id) from items_1_1) || ']') a, json_each('[' || (select group_concat(id) from items_1_1) || ']') b`,
  'memory by distinct': `select count(*) from (select distinct printf('%0100d', a.id * 200000 + b.id) from items_1_1 a, items_1_1 b)`,
  'memory by union': `select count(*) from (select a.id, b.name from items_1_1 a, items_1_1 b union select b.id, a.name from items_1_1 a, items_1_1 b)`,
  'overflow everywhere': 'select sum(a.id * 9223372036854775807) from items_1_1 a, items_1_1 b',
};

/** What hurts a parser, a compiler or a planner. */
export const DEEP: Readonly<Record<string, string>> = {
  parentheses: `select ${nest(5_000, '(', '1', ')')}`,
  'selects in selects': `select * from ${nest(100, '(select * from ', 'items_1_1', ')')}`,
  'scalar selects': `select ${nest(25, '(select ', '1', ')')}`,
  'exists in exists': `select 1 from items_1_1 where ${nest(40, 'exists (select 1 from items_1_1 where ', 'id = 1', ')')}`,
  'a long sum': `select ${many(8_000, () => '1', '+')}`,
  'a long or': `select count(*) from items_1_1 where ${many(3_000, (i) => `id=${i}`, ' or ')}`,
  'a long and': `select count(*) from items_1_1 where ${many(3_000, (i) => `id<>${i}`, ' and ')}`,
  'a long in': `select count(*) from items_1_1 where id in (${many(6_000, String, ',')})`,
  'many unions': many(2_000, (i) => `select ${i}`, ' union all '),
  'many unions that sort': many(1_500, (i) => `select ${i}`, ' union '),
  'many joins': `select count(*) from ${many(80, (i) => `items_1_1 a${i}`, ', ')}`,
  'many natural joins': `select count(*) from ${many(60, (i) => `items_1_1 a${i}`, ' natural join ')}`,
  'many columns': `select ${many(3_000, (i) => `id a${i}`, ', ')} from items_1_1 limit 1`,
  'many cases': `select case ${many(1_500, (i) => `when id=${i} then ${i}`, ' ')} end from items_1_1 limit 1`,
  'nested cases': `select ${nest(300, 'case when 1 then ', '1', ' else 0 end')}`,
  'doubling common tables': `with a0 as (select 1 x), ${many(22, (i) => `a${i + 1} as (select a.x from a${i} a, a${i} b)`, ', ')} select count(*) from a22`,
  arrows: `select '{}' ${"-> '$.a' ".repeat(800)}`,
  nots: `select ${'not '.repeat(5_000)} 1`,
  minuses: `select ${'- '.repeat(5_000)} 1`,
  'concats of functions': `select ${many(400, () => 'upper(lower(trim(name)))', ' || ')} from items_1_1 limit 1`,
  'nested functions': `select ${nest(400, 'abs(', '1', ')')}`,
  'nested comments': `select 1 ${'/*'.repeat(10_000)}`,
  'many windows': `select ${many(200, (i) => `sum(id) over (order by id % ${i + 2})`, ', ')} from items_1_1 limit 1`,
  'between chains': `select ${nest(500, '(1 between 0 and ', '1', ')')}`,
};
