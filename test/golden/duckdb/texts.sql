-- select count(*) from flights where origin like 'SAN'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE (lower(t0."origin") = 'san')) AS g1

-- select count(*) from flights where origin like 'sa%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE starts_with(lower(t0."origin"), 'sa')) AS g1

-- select count(*) from flights where origin like '%a'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE suffix(lower(t0."origin"), 'a')) AS g1

-- select count(*) from flights where origin like '%la%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE contains(lower(t0."origin"), 'la')) AS g1

-- select count(*) from flights where origin not like '%special%requests%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE (NOT (lower(t0."origin") LIKE '%special%requests%'))) AS g1

-- select count(*) from flights where origin like '1%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE starts_with(t0."origin", '1')) AS g1

-- select count(*) from flights where origin like 'a_%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE regexp_full_match(lower(t0."origin"), 'a..*', 's')) AS g1

-- select count(*) from flights where note like '%late%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE contains(CASE WHEN strlen(t0."note") = length(t0."note") THEN lower(t0."note") ELSE translate(t0."note", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END, 'late')) AS g1

-- select count(*) from flights where origin like '50\%%' escape '\'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE starts_with(t0."origin", '50%')) AS g1

-- select count(*) from flights where origin like note
SQLite: LIKE with such a pattern

-- select count(*) from flights where origin glob 'S*'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE starts_with(t0."origin", 'S')) AS g1

-- select count(*) from flights where origin glob '[A-C]?N'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE regexp_full_match(t0."origin", '[A-C].N', 's')) AS g1

-- select count(*) from airports where city like '%ville%'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "airports" AS t0 WHERE contains(CASE WHEN strlen(CASE WHEN contains(t0."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t0."city" END) = length(CASE WHEN contains(t0."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t0."city" END) THEN lower(CASE WHEN contains(t0."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t0."city" END) ELSE translate(CASE WHEN contains(t0."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t0."city" END, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END, 'ville')) AS g1

-- select count(*) from flights where note collate nocase = 'Late'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE (CASE WHEN strlen(t0."note") = length(t0."note") THEN lower(t0."note") ELSE translate(t0."note", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END = lower('Late'))) AS g1

-- select id, upper(origin), lower(note), length(note), trim(note) from flights order by id
SELECT t0."id" AS c0, upper(t0."origin") AS c1, CASE WHEN strlen(t0."note") = length(t0."note") THEN lower(t0."note") ELSE translate(t0."note", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END AS c2, length(t0."note") AS c3, trim(t0."note", ' ') AS c4 FROM "flights" AS t0

-- select id, substr(origin, 1, 2), substr(origin, -2), substr(origin, 2), replace(origin, 'A', 'b') from flights order by id
SELECT t0."id" AS c0, substring(t0."origin", CAST(1 AS BIGINT), CAST(2 AS BIGINT)) AS c1, right(t0."origin", 2) AS c2, substring(t0."origin", CAST(2 AS BIGINT), CAST(1000000000 AS BIGINT)) AS c3, replace(t0."origin", 'A', 'b') AS c4 FROM "flights" AS t0

-- select id, instr(origin, 'N'), hex(origin), quote(origin), unicode(origin) from flights order by id
SELECT t0."id" AS c0, instr(t0."origin", 'N') AS c1, COALESCE(hex(t0."origin"), '') AS c2, COALESCE('''' || replace(t0."origin", '''', '''''') || '''', 'NULL') AS c3, CASE WHEN t0."origin" <> '' THEN CAST(unicode(t0."origin") AS BIGINT) END AS c4 FROM "flights" AS t0

-- select id, origin || '-' || delay from flights order by id
SELECT t0."id" AS c0, ((t0."origin" || '-') || CAST(t0."delay" AS VARCHAR)) AS c1 FROM "flights" AS t0

-- select id, origin || price from flights order by id
SQLite: real as text

-- select id, printf('%d/%s', delay, origin), format('%05d', delay) from flights order by id
SELECT t0."id" AS c0, (CAST(COALESCE(t0."delay", 0) AS VARCHAR) || '/' || COALESCE(t0."origin", '')) AS c1, (printf('%05d', COALESCE(t0."delay", 0))) AS c2 FROM "flights" AS t0

-- select id, printf('%.2f', price) from flights order by id
SQLite: printf with such a format

-- select id, char(65, delay) from flights order by id
SQLite: function char

-- select origin, group_concat(note, ';') from flights group by origin order by origin
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."origin" AS k0, string_agg(t0."note", ';' ORDER BY t0."origin" ASC NULLS FIRST, t0."id") AS a1 FROM "flights" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select group_concat(distinct origin) from flights
SQLite: group_concat of distinct values

-- select count(*) from airports where code like 'sa%' or code like '%o' collate nocase
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "airports" AS t0 WHERE (starts_with(t0."code", 'SA') OR suffix(t0."code", 'O'))) AS g1

-- select lower(code), upper(code) from airports where code = 'sfo' collate nocase order by id
SELECT lower(t0."code") AS c0, t0."code" AS c1 FROM "airports" AS t0 WHERE (lower(t0."code") = lower('sfo'))
