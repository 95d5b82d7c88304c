-- select count(*) from flights where origin like 'SAN'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (lower(t0."origin") = 'san')) AS g1

-- select count(*) from flights where origin like 'sa%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE starts_with(lower(t0."origin"), 'sa')) AS g1

-- select count(*) from flights where origin like '%a'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (lower(t0."origin") LIKE '%a' ESCAPE '\')) AS g1

-- select count(*) from flights where origin like '%la%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (strpos(lower(t0."origin"), 'la') > 0)) AS g1

-- select count(*) from flights where origin not like '%special%requests%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (NOT (lower(t0."origin") LIKE '%special%requests%' ESCAPE '\'))) AS g1

-- select count(*) from flights where origin like '1%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE starts_with(t0."origin", '1')) AS g1

-- select count(*) from flights where origin like 'a_%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (lower(t0."origin") LIKE 'a_%' ESCAPE '\')) AS g1

-- select count(*) from flights where note like '%late%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (strpos(translate(t0."note", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), 'late') > 0)) AS g1

-- select count(*) from flights where origin like '50\%%' escape '\'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE starts_with(t0."origin", '50%')) AS g1

-- select count(*) from flights where origin like note
refused: LIKE with such a pattern: the table lives in the distributed engine

-- select count(*) from flights where origin glob 'S*'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE starts_with(t0."origin", 'S')) AS g1

-- select count(*) from flights where origin glob '[A-C]?N'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE regexp_like(t0."origin", '(?s)\A(?:[A-C].N)\z')) AS g1

-- select count(*) from airports where city like '%ville%'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."a1" AS t0 WHERE (strpos(translate(CASE WHEN (strpos(t0."city", chr(0)) > 0) THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) ELSE t0."city" END, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), 'ville') > 0)) AS g1

-- select count(*) from flights where note collate nocase = 'Late'
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (translate(t0."note", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = lower('Late'))) AS g1

-- select id, upper(origin), lower(note), length(note), trim(note) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, upper(t0."origin") AS c1, translate(t0."note", 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') AS c2, CAST(length(t0."note") AS VARCHAR) AS c3, trim(BOTH ' ' FROM t0."note") AS c4 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, substr(origin, 1, 2), substr(origin, -2), substr(origin, 2), replace(origin, 'A', 'b') from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, substring(t0."origin", CAST(1 AS BIGINT), CAST(2 AS BIGINT)) AS c1, substr(t0."origin", greatest(length(t0."origin") - 1, 1)) AS c2, substring(t0."origin", CAST(2 AS BIGINT), CAST(1000000000 AS BIGINT)) AS c3, replace(t0."origin", 'A', 'b') AS c4 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, instr(origin, 'N'), hex(origin), quote(origin), unicode(origin) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, CAST(strpos(t0."origin", 'N') AS VARCHAR) AS c1, COALESCE(to_hex(to_utf8(t0."origin")), '') AS c2, COALESCE('''' || replace(t0."origin", '''', '''''') || '''', 'NULL') AS c3, CAST(CASE WHEN t0."origin" <> '' THEN CAST(codepoint(CAST(substr(t0."origin", 1, 1) AS VARCHAR(1))) AS BIGINT) END AS VARCHAR) AS c4 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, origin || '-' || delay from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, ((t0."origin" || '-') || CAST(t0."delay" AS VARCHAR)) AS c1 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, origin || price from flights order by id
refused: real as text: the table lives in the distributed engine

-- select id, printf('%d/%s', delay, origin), format('%05d', delay) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, (CAST(COALESCE(t0."delay", 0) AS VARCHAR) || '/' || COALESCE(t0."origin", '')) AS c1, (format('%05d', COALESCE(t0."delay", 0))) AS c2 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, printf('%.2f', price) from flights order by id
refused: printf with such a format: the table lives in the distributed engine

-- select id, char(65, delay) from flights order by id
refused: function char: the table lives in the distributed engine

-- select origin, group_concat(note, ';') from flights group by origin order by origin
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."origin" AS k0, array_join(array_agg(t0."note" ORDER BY t0."origin" ASC NULLS FIRST, t0."id") FILTER (WHERE (t0."note" IS NOT NULL)), ';') AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select group_concat(distinct origin) from flights
refused: group_concat of distinct values: the table lives in the distributed engine

-- select count(*) from airports where code like 'sa%' or code like '%o' collate nocase
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."a1" AS t0 WHERE (starts_with(t0."code", 'SA') OR (t0."code" LIKE '%O' ESCAPE '\'))) AS g1

-- select lower(code), upper(code) from airports where code = 'sfo' collate nocase order by id
SELECT lower(t0."code") AS c0, t0."code" AS c1 FROM "lake"."s000001"."a1" AS t0 WHERE (lower(t0."code") = lower('sfo')) ORDER BY t0."id" ASC NULLS FIRST
