-- select id from flights
SELECT CAST(t0."id" AS VARCHAR) AS c0 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."id"

-- select id, delay from flights where delay > 100 limit 5
SELECT CAST(t0."id" AS VARCHAR) AS c0, CAST(t0."delay" AS VARCHAR) AS c1 FROM "lake"."s000001"."f1" AS t0 WHERE (t0."delay" > CAST(100 AS BIGINT)) ORDER BY t0."id" LIMIT 5

-- select id, origin from flights where origin > 'S' limit 5
SELECT CAST(t0."id" AS VARCHAR) AS c0, t0."origin" AS c1 FROM "lake"."s000001"."f1" AS t0 WHERE (t0."origin" > 'S') ORDER BY t0."origin" ASC NULLS FIRST, t0."id" LIMIT 5

-- select origin from flights
SELECT t0."origin" AS c0 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."id"

-- select delay from flights order by delay limit 3
SELECT CAST(t0."delay" AS VARCHAR) AS c0 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."delay" ASC NULLS FIRST LIMIT 3

-- select delay from flights order by delay desc, id limit 3
SELECT CAST(t0."delay" AS VARCHAR) AS c0 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."delay" DESC NULLS LAST, t0."id" ASC NULLS FIRST LIMIT 3

-- select origin from flights order by origin desc limit 3
SELECT t0."origin" AS c0 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."origin" DESC NULLS LAST LIMIT 3

-- select delay, count(*) from flights group by delay
SELECT CAST(g1.k0 AS VARCHAR) AS c0, CAST(g1.a1 AS VARCHAR) AS c1 FROM (SELECT t0."delay" AS k0, count(*) AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."delay") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select origin, count(*) from flights group by origin
SELECT g1.k0 AS c0, CAST(g1.a1 AS VARCHAR) AS c1 FROM (SELECT t0."origin" AS k0, count(*) AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select delay, count(*) as n from flights group by delay order by n desc limit 10
SELECT CAST(g1.k0 AS VARCHAR) AS c0, CAST(g1.a1 AS VARCHAR) AS c1 FROM (SELECT t0."delay" AS k0, count(*) AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."delay") AS g1 ORDER BY g1.a1 DESC NULLS LAST, g1.k0 DESC NULLS LAST LIMIT 10

-- select distinct delay from flights
SELECT CAST(d2.c0 AS VARCHAR) AS c0 FROM (SELECT d1.c0 AS c0, min(d1.o) AS o FROM (SELECT t0."delay" AS c0, t0."id" AS o FROM "lake"."s000001"."f1" AS t0) AS d1 GROUP BY d1.c0) AS d2 ORDER BY d2.o

-- select origin, delay, max(price) from flights group by delay order by delay
SELECT g1.g1b[1] AS c0, CAST(g1.k0 AS VARCHAR) AS c1, g1.a1 AS c2 FROM (SELECT t0."delay" AS k0, max((t0."price" + 0e0)) AS a1, element_at(array_agg(ROW(t0."origin") ORDER BY (t0."price" + 0e0) DESC NULLS LAST, CASE WHEN t0."price" IS NULL THEN -t0."id" END, t0."id"), 1) AS g1b FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."delay") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select a.city, count(*) from flights f join airports a on a.code = f.origin group by a.city order by 2 desc, 1
SELECT g2.k0 AS c0, CAST(g2.a1 AS VARCHAR) AS c1 FROM (SELECT t1."city" AS k0, count(*) AS a1 FROM "lake"."s000001"."f1" AS t0 JOIN "lake"."s000001"."a1" AS t1 ON (t1."code" = t0."origin") GROUP BY t1."city") AS g2 ORDER BY g2.a1 DESC NULLS LAST, g2.k0 ASC NULLS FIRST

-- select f.id, a.city from flights f join airports a on a.id = f.delay
SELECT CAST(t0."id" AS VARCHAR) AS c0, t1."city" AS c1 FROM "lake"."s000001"."f1" AS t0 JOIN "lake"."s000001"."a1" AS t1 ON (t1."id" = t0."delay") ORDER BY t0."id", t1."id"

-- select f.id, a.city from flights f join airports a on a.code = f.origin order by f.id
SELECT CAST(t0."id" AS VARCHAR) AS c0, t1."city" AS c1 FROM "lake"."s000001"."f1" AS t0 JOIN "lake"."s000001"."a1" AS t1 ON (t1."code" = t0."origin") ORDER BY t0."id" ASC NULLS FIRST, t1."code" ASC NULLS FIRST, t1."city" ASC NULLS FIRST, t1."id"

-- select f.id, a.city from flights f left join airports a on a.id = f.delay limit 10
SELECT CAST(t0."id" AS VARCHAR) AS c0, t1."city" AS c1 FROM "lake"."s000001"."f1" AS t0 LEFT JOIN "lake"."s000001"."a1" AS t1 ON (t1."id" = t0."delay") ORDER BY t0."id", t1."id" LIMIT 10

-- select f.id, a.city from flights f, airports a where f.delay + a.id > 5 limit 10
SELECT CAST(t0."id" AS VARCHAR) AS c0, t1."city" AS c1 FROM "lake"."s000001"."f1" AS t0 CROSS JOIN "lake"."s000001"."a1" AS t1 WHERE ((t0."delay" + t1."id") > CAST(5 AS BIGINT)) ORDER BY t0."id", t1."id" LIMIT 10

-- select count(*) from flights f full join airports a on a.code = f.origin
SELECT CAST(g2.a0 AS VARCHAR) AS c0 FROM (SELECT count(*) AS a0 FROM "lake"."s000001"."f1" AS t0 FULL JOIN "lake"."s000001"."a1" AS t1 ON (t1."code" = t0."origin")) AS g2

-- select id from flights where origin = 'SFO' or delay = 3 limit 5
SELECT CAST(t0."id" AS VARCHAR) AS c0 FROM "lake"."s000001"."f1" AS t0 WHERE ((t0."origin" = 'SFO') OR (t0."delay" = CAST(3 AS BIGINT))) ORDER BY t0."id" LIMIT 5

-- select * from (select origin, count(*) as n from flights group by origin) order by n desc limit 3
SELECT t2.c0 AS c0, CAST(t2.c1 AS VARCHAR) AS c1 FROM (SELECT g1.k0 AS c0, g1.a1 AS c1, row_number() OVER (ORDER BY g1.k0 ASC NULLS FIRST) AS o FROM (SELECT t0."origin" AS k0, count(*) AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST) AS t2 ORDER BY t2.c1 DESC NULLS LAST, t2.o LIMIT 3

-- with m as (select strftime('%m', at) as m, avg(delay) as d from flights group by 1) select * from m order by d desc limit 3
WITH w2(c0, c1, o) AS (SELECT g1.k0 AS c0, g1.a1 AS c1, row_number() OVER (ORDER BY g1.k0 ASC NULLS FIRST) AS o FROM (SELECT substring(t0."at", 6, 2) AS k0, (CAST(sum(t0."delay") AS DOUBLE) / NULLIF(count(t0."delay"), 0)) AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY substring(t0."at", 6, 2)) AS g1 ORDER BY g1.k0 ASC NULLS FIRST) SELECT t3.c0 AS c0, t3.c1 AS c1 FROM "w2" AS t3 ORDER BY (t3.c1 + 0e0) DESC NULLS LAST, t3.o LIMIT 3

-- select origin from flights union select code from airports
SELECT u2.c0 AS c0 FROM ((SELECT t0."origin" AS c0 FROM "lake"."s000001"."f1" AS t0) UNION (SELECT t1."code" AS c0 FROM "lake"."s000001"."a1" AS t1)) AS u2 ORDER BY u2.c0 ASC NULLS FIRST

-- select origin from flights union all select code from airports
SELECT u2.c0 AS c0 FROM (SELECT x.c0 AS c0, 0 AS p, x.o AS o FROM (SELECT t0."origin" AS c0, row_number() OVER (ORDER BY t0."origin" ASC NULLS FIRST, t0."id") AS o FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."id") AS x UNION ALL SELECT x.c0 AS c0, 1 AS p, x.o AS o FROM (SELECT t1."code" AS c0, row_number() OVER (ORDER BY t1."id") AS o FROM "lake"."s000001"."a1" AS t1 ORDER BY t1."id") AS x) AS u2 ORDER BY u2.p, u2.o

-- select id, row_number() over (partition by origin order by delay) from flights
SELECT CAST(t0."id" AS VARCHAR) AS c0, CAST(row_number() OVER (PARTITION BY t0."origin" ORDER BY t0."delay" ASC NULLS FIRST, t0."origin" ASC NULLS FIRST, t0."id") AS VARCHAR) AS c1 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."delay" ASC NULLS FIRST, t0."id"

-- select id, (select city from airports where code = origin) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, (SELECT t1."city" AS c0 FROM "lake"."s000001"."a1" AS t1 WHERE (t1."code" = t0."origin") ORDER BY t1."id" LIMIT 1) AS c1 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id from flights where origin in (select code from airports where city like 'S%') order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0 FROM "lake"."s000001"."f1" AS t0 WHERE ((t0."origin" IN (SELECT t1."code" AS c0 FROM "lake"."s000001"."a1" AS t1 WHERE starts_with(translate(CASE WHEN (strpos(t1."city", chr(0)) > 0) THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) ELSE t1."city" END, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'), 's')))) ORDER BY t0."id" ASC NULLS FIRST

-- with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n
refused: WITH RECURSIVE: the table lives in the distributed engine

-- select id, first_value(id) over (partition by origin) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, CAST(first_value(t0."id") OVER (PARTITION BY t0."origin" ORDER BY t0."origin" ASC NULLS FIRST, t0."id" ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS VARCHAR) AS c1 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, first_value(id) over (order by delay rows between 1 preceding and current row) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, CAST(first_value(t0."id") OVER (ORDER BY t0."delay" ASC NULLS FIRST, t0."id" ROWS BETWEEN CAST(1 AS BIGINT) PRECEDING AND CURRENT ROW) AS VARCHAR) AS c1 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, last_value(id) over (partition by origin order by delay) from flights order by id
refused: last_value() over rows that share their place: the table lives in the distributed engine

-- select id, last_value(day) over (order by id), nth_value(day, 2) over (order by delay, id desc) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, last_value(t0."day") OVER (ORDER BY t0."id" ASC NULLS FIRST) AS c1, nth_value(t0."day", CASE WHEN CAST(2 AS BIGINT) > 0 THEN CAST(2 AS BIGINT) ELSE CAST(fail('tablegate: elsewhere') AS BIGINT) END) OVER (ORDER BY t0."delay" ASC NULLS FIRST, t0."id" DESC NULLS LAST) AS c2 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, first_value(day) over (order by delay range between 1 preceding and current row) from flights order by id
refused: first_value() over rows that share their place: the table lives in the distributed engine

-- select id, group_concat(origin) over (order by delay) from flights order by id
refused: group_concat() over rows that share their place: the table lives in the distributed engine

-- select id, lag(day) over (order by delay), rank() over (order by delay) from flights order by id
SELECT CAST(t0."id" AS VARCHAR) AS c0, lag(t0."day", CAST(1 AS BIGINT), CAST(NULL AS VARCHAR)) OVER (ORDER BY t0."delay" ASC NULLS FIRST, t0."id") AS c1, CAST(rank() OVER (ORDER BY t0."delay" ASC NULLS FIRST) AS VARCHAR) AS c2 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select distinct price from flights order by price
SELECT d2.c0 AS c0 FROM (SELECT d1.c0 AS c0, min(d1.o) AS o FROM (SELECT t0."price" AS c0, t0."id" AS o FROM "lake"."s000001"."f1" AS t0) AS d1 GROUP BY d1.c0) AS d2 ORDER BY (d2.c0 + 0e0) ASC NULLS FIRST, d2.o

-- select price from flights union select ratio from flights order by 1
SELECT u2.c0 AS c0 FROM ((SELECT t0."price" AS c0 FROM "lake"."s000001"."f1" AS t0) UNION (SELECT t1."ratio" AS c0 FROM "lake"."s000001"."f1" AS t1)) AS u2 ORDER BY (u2.c0 + 0e0) ASC NULLS FIRST, (u2.c0 + 0e0) ASC NULLS FIRST

-- select distinct price from flights
SELECT d2.c0 AS c0 FROM (SELECT d1.c0 AS c0, min(d1.o) AS o FROM (SELECT t0."price" AS c0, t0."id" AS o FROM "lake"."s000001"."f1" AS t0) AS d1 GROUP BY d1.c0) AS d2 ORDER BY d2.o

-- select price, count(*) from flights group by price
SELECT g1.k0 AS c0, CAST(g1.a1 AS VARCHAR) AS c1 FROM (SELECT t0."price" AS k0, count(*) AS a1 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."price") AS g1 ORDER BY (g1.k0 + 0e0) ASC NULLS FIRST

-- select id, note from flights order by origin desc limit 3
refused: row order of a loop that goes backwards: the table lives in the distributed engine

-- select f.id, a.city from flights f right join airports a on a.code = f.origin order by f.id
refused: row order of a RIGHT or FULL JOIN: the table lives in the distributed engine

-- select f.id as flight, a.city from flights f right join airports a on a.code = f.origin order by upper(a.city) desc, flight limit 10 offset 5
refused: row order of a RIGHT or FULL JOIN: the table lives in the distributed engine

-- select a.city from flights f right join airports a on a.code = f.origin order by a.city
SELECT t1."city" AS c0 FROM "lake"."s000001"."f1" AS t0 RIGHT JOIN "lake"."s000001"."a1" AS t1 ON (t1."code" = t0."origin") ORDER BY t1."city" ASC NULLS FIRST

-- select f.id, (select b.id from airports b right join airports c on b.id = c.id where c.code = f.origin order by b.city limit 1) from flights f order by f.id
refused: row order of a RIGHT or FULL JOIN: the table lives in the distributed engine

-- select origin, day, sum(delay) from flights group by origin, day order by day desc, origin limit 5
SELECT g1.k0 AS c0, g1.k1 AS c1, CAST(g1.a2 AS VARCHAR) AS c2 FROM (SELECT t0."origin" AS k0, t0."day" AS k1, CAST(sum(t0."delay") AS BIGINT) AS a2 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."origin", t0."day") AS g1 ORDER BY g1.k1 DESC NULLS LAST, g1.k0 ASC NULLS FIRST LIMIT 5

-- select origin, day, sum(delay) from flights group by origin, day order by day desc limit 5
SELECT g1.k0 AS c0, g1.k1 AS c1, CAST(g1.a2 AS VARCHAR) AS c2 FROM (SELECT t0."origin" AS k0, t0."day" AS k1, CAST(sum(t0."delay") AS BIGINT) AS a2 FROM "lake"."s000001"."f1" AS t0 GROUP BY t0."origin", t0."day") AS g1 ORDER BY g1.k1 DESC NULLS LAST, g1.k0 ASC NULLS FIRST LIMIT 5

-- select f.origin, a.city, count(*) from flights f right join airports a on a.code = f.origin group by f.origin, a.city order by a.city, f.origin
SELECT g2.k0 AS c0, g2.k1 AS c1, CAST(g2.a2 AS VARCHAR) AS c2 FROM (SELECT t0."origin" AS k0, t1."city" AS k1, count(*) AS a2 FROM "lake"."s000001"."f1" AS t0 RIGHT JOIN "lake"."s000001"."a1" AS t1 ON (t1."code" = t0."origin") GROUP BY t0."origin", t1."city") AS g2 ORDER BY g2.k1 ASC NULLS FIRST, g2.k0 ASC NULLS FIRST
