// Statements and bytes that strangers send: each must end in a refusal or a bounded answer, never in a 500, and
// must not be felt by others.
import { FLIGHTS, RIGS } from '../data.ts';

/** Writes, files, settings and the engine's insides: always refused. */
export const FORBIDDEN: readonly string[] = [
  `delete from ${RIGS}`,
  `insert into ${RIGS} values (1)`,
  'create table t (a)',
  "attach 'x.db'",
  "copy (select 1) to '/tmp/x'",
  'pragma database_list',
  "set memory_limit='100GB'",
  "select * from read_text('/etc/passwd')",
  "select * from '/etc/passwd'",
  "select * from glob('/*')",
  'select * from duckdb_settings()',
  "select getenv('HOME')",
  'select * from information_schema.tables',
  'select * from sqlite_master',
  `select * from ${RIGS}; drop table ${RIGS}`,
  `select ${'('.repeat(2_000)}1${')'.repeat(2_000)}`,
  `select * from ${RIGS} where id in (${Array.from({ length: 9_000 }, () => '1').join(',')}`,
];

/** Read only, but as dear as a stranger can make them: stopped by a limit or answered. */
export const HEAVY: readonly ((n: number) => string)[] = [
  (n) => `select count(*) from ${FLIGHTS} a, ${FLIGHTS} b where a.delay + b.delay = ${n}`,
  (n) =>
    `select a.origin, b.origin, count(*) from ${FLIGHTS} a join ${FLIGHTS} b on a.distance = b.distance where a.delay > ${n % 7} group by 1, 2 order by 3 desc limit 5`,
  (n) => `with recursive c(x) as (select ${n} union all select x + 1 from c) select max(x) from c`,
  (n) => `select group_concat(date || origin || destination || ${n}) from ${FLIGHTS}`,
  (n) => `select * from ${FLIGHTS} order by destination, origin, date desc, delay + ${n} limit 10`,
  (n) =>
    `select replace(replace(hex(zeroblob(100000)), '0', hex(zeroblob(1000))), '0', 'abc${n}') from ${RIGS}`,
  (n) => `select count(distinct date || ${n}) from ${FLIGHTS}`,
  (n) =>
    `select a.name from ${RIGS} a, ${RIGS} b, ${RIGS} c where a.name like '%' || b.name || '%${n}%' limit 1`,
];

/** Bytes on a raw connection; the server answers 4xx or closes. */
export const BROKEN_HTTP: readonly string[] = [
  'GET / HTTP/9.9\r\n\r\n',
  'garbage\r\n\r\n',
  'GET /api/v1/version HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
  'POST /api/v1/query HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/v1/query HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /api/v1/query?statement=${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'GET /api/v1/query?statement=%zz HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/v1/query?statement=%00%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
];
