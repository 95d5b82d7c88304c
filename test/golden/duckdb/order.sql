-- select id from flights
SELECT t0."id" AS c0 FROM "flights" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."id"

-- select id, delay from flights where delay > 100 limit 5
SELECT t0."id" AS c0, t0."delay" AS c1 FROM "flights" AS t0 WHERE (t0."delay" > CAST(100 AS BIGINT)) LIMIT 5

-- select id, origin from flights where origin > 'S' limit 5
SELECT t0."id" AS c0, t0."origin" AS c1 FROM "flights" AS t0 WHERE (t0."origin" > 'S') ORDER BY t0."origin" ASC NULLS FIRST, t0."id" LIMIT 5

-- select origin from flights
SELECT t0."origin" AS c0 FROM "flights" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."id"

-- select delay from flights order by delay limit 3
SELECT t0."delay" AS c0 FROM "flights" AS t0 ORDER BY t0."delay" ASC NULLS FIRST LIMIT 3

-- select delay from flights order by delay desc, id limit 3
SELECT t0."delay" AS c0 FROM "flights" AS t0 ORDER BY t0."delay" DESC NULLS LAST, t0."id" ASC NULLS FIRST LIMIT 3

-- select origin from flights order by origin desc limit 3
SELECT t0."origin" AS c0 FROM "flights" AS t0 ORDER BY t0."origin" DESC NULLS LAST LIMIT 3

-- select delay, count(*) from flights group by delay
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."delay" AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY t0."delay") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select origin, count(*) from flights group by origin
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."origin" AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select delay, count(*) as n from flights group by delay order by n desc limit 10
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."delay" AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY t0."delay") AS g1 ORDER BY g1.a1 DESC NULLS LAST, g1.k0 DESC NULLS LAST LIMIT 10

-- select distinct delay from flights
SELECT d2.c0 FROM (SELECT d1.c0 AS c0, min(d1.o) AS o FROM (SELECT t0."delay" AS c0, t0."id" AS o FROM "flights" AS t0) AS d1 GROUP BY d1.c0) AS d2 ORDER BY d2.o

-- select origin, delay, max(price) from flights group by delay order by delay
SELECT g1.g1b.f0 AS c0, g1.k0 AS c1, g1.a1 AS c2 FROM (SELECT t0."delay" AS k0, max(t0."price") AS a1, first(struct_pack(f0 := t0."origin") ORDER BY t0."price" DESC NULLS LAST, CASE WHEN t0."price" IS NULL THEN -t0."id" END, t0."id") AS g1b FROM "flights" AS t0 GROUP BY t0."delay") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select a.city, count(*) from flights f join airports a on a.code = f.origin group by a.city order by 2 desc, 1
SELECT g2.k0 AS c0, g2.a1 AS c1 FROM (SELECT t1."city" AS k0, count(*) AS a1 FROM "flights" AS t0 JOIN "airports" AS t1 ON (t1."code" = t0."origin") GROUP BY t1."city") AS g2 ORDER BY g2.a1 DESC NULLS LAST, g2.k0 ASC NULLS FIRST

-- select f.id, a.city from flights f join airports a on a.id = f.delay
SELECT t0."id" AS c0, t1."city" AS c1 FROM "flights" AS t0 JOIN "airports" AS t1 ON (t1."id" = t0."delay") ORDER BY t0."id", t1."id"

-- select f.id, a.city from flights f join airports a on a.code = f.origin order by f.id
SELECT t0."id" AS c0, t1."city" AS c1 FROM "flights" AS t0 JOIN "airports" AS t1 ON (t1."code" = t0."origin") ORDER BY t0."id" ASC NULLS FIRST, t1."code" ASC NULLS FIRST, t1."city" ASC NULLS FIRST, t1."id"

-- select f.id, a.city from flights f left join airports a on a.id = f.delay limit 10
SELECT t0."id" AS c0, t1."city" AS c1 FROM "flights" AS t0 LEFT JOIN "airports" AS t1 ON (t1."id" = t0."delay") ORDER BY t0."id", t1."id" LIMIT 10

-- select f.id, a.city from flights f, airports a where f.delay + a.id > 5 limit 10
SELECT t0."id" AS c0, t1."city" AS c1 FROM "flights" AS t0 CROSS JOIN "airports" AS t1 WHERE ((t0."delay" + t1."id") > CAST(5 AS BIGINT)) ORDER BY t0."id", t1."id" LIMIT 10

-- select count(*) from flights f full join airports a on a.code = f.origin
SELECT g2.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 FULL JOIN "airports" AS t1 ON (t1."code" = t0."origin")) AS g2

-- select id from flights where origin = 'SFO' or delay = 3 limit 5
SELECT t0."id" AS c0 FROM "flights" AS t0 WHERE ((t0."origin" = 'SFO') OR (t0."delay" = CAST(3 AS BIGINT))) LIMIT 5

-- select * from (select origin, count(*) as n from flights group by origin) order by n desc limit 3
SELECT t2.c0 AS c0, t2.c1 AS c1 FROM (SELECT *, row_number() OVER () AS o FROM (SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."origin" AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST) AS t2n) AS t2 ORDER BY t2.c1 DESC NULLS LAST, t2.o LIMIT 3

-- with m as (select strftime('%m', at) as m, avg(delay) as d from flights group by 1) select * from m order by d desc limit 3
WITH w2(c0, c1) AS (SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT substring(t0."at", 6, 2) AS k0, (CAST(sum(t0."delay") AS DOUBLE) / NULLIF(count(t0."delay"), 0)) AS a1 FROM "flights" AS t0 GROUP BY substring(t0."at", 6, 2)) AS g1 ORDER BY g1.k0 ASC NULLS FIRST) SELECT t3.c0 AS c0, t3.c1 AS c1 FROM (SELECT *, row_number() OVER () AS o FROM "w2" AS t3n) AS t3 ORDER BY t3.c1 DESC NULLS LAST, t3.o LIMIT 3

-- select origin from flights union select code from airports
SELECT u2.c0 FROM ((SELECT t0."origin" AS c0 FROM "flights" AS t0) UNION (SELECT t1."code" AS c0 FROM "airports" AS t1)) AS u2 ORDER BY u2.c0 ASC NULLS FIRST

-- select origin from flights union all select code from airports
SELECT u2.c0 FROM ((SELECT t0."origin" AS c0 FROM "flights" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."id") UNION ALL (SELECT t1."code" AS c0 FROM "airports" AS t1)) AS u2

-- select id, row_number() over (partition by origin order by delay) from flights
SELECT t0."id" AS c0, row_number() OVER (PARTITION BY t0."origin" ORDER BY t0."delay" ASC NULLS FIRST, t0."origin" ASC NULLS FIRST, t0."id") AS c1 FROM "flights" AS t0 ORDER BY t0."origin" ASC NULLS FIRST, t0."delay" ASC NULLS FIRST, t0."id"

-- select id, (select city from airports where code = origin) from flights order by id
SELECT t0."id" AS c0, (SELECT t1."city" AS c0 FROM "airports" AS t1 WHERE (t1."code" = t0."origin") ORDER BY t1."id" LIMIT 1) AS c1 FROM "flights" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id from flights where origin in (select code from airports where city like 'S%') order by id
SELECT t0."id" AS c0 FROM "flights" AS t0 WHERE ((t0."origin" IN (SELECT t1."code" AS c0 FROM "airports" AS t1 WHERE starts_with(CASE WHEN strlen(CASE WHEN contains(t1."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t1."city" END) = length(CASE WHEN contains(t1."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t1."city" END) THEN lower(CASE WHEN contains(t1."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t1."city" END) ELSE translate(CASE WHEN contains(t1."city", chr(0)) THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE t1."city" END, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') END, 's')))) ORDER BY t0."id" ASC NULLS FIRST

-- with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n
SQLite: WITH RECURSIVE

-- select id, first_value(id) over (partition by origin) from flights order by id
SELECT t0."id" AS c0, first_value(t0."id") OVER (PARTITION BY t0."origin" ORDER BY t0."origin" ASC NULLS FIRST, t0."id" ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c1 FROM "flights" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, first_value(id) over (order by delay rows between 1 preceding and current row) from flights order by id
SELECT t0."id" AS c0, first_value(t0."id") OVER (ORDER BY t0."delay" ASC NULLS FIRST, t0."id" ROWS BETWEEN CAST(1 AS BIGINT) PRECEDING AND CURRENT ROW) AS c1 FROM "flights" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, last_value(id) over (partition by origin order by delay) from flights order by id
SQLite: last_value() over rows that share their place

-- select id, last_value(day) over (order by id), nth_value(day, 2) over (order by delay, id desc) from flights order by id
SELECT t0."id" AS c0, last_value(t0."day") OVER (ORDER BY t0."id" ASC NULLS FIRST) AS c1, nth_value(t0."day", CASE WHEN CAST(2 AS BIGINT) > 0 THEN CAST(2 AS BIGINT) ELSE CAST(error('tablegate: elsewhere') AS BIGINT) END) OVER (ORDER BY t0."delay" ASC NULLS FIRST, t0."id" DESC NULLS LAST) AS c2 FROM "flights" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select id, first_value(day) over (order by delay range between 1 preceding and current row) from flights order by id
SQLite: first_value() over rows that share their place

-- select id, group_concat(origin) over (order by delay) from flights order by id
SQLite: group_concat() over rows that share their place

-- select id, lag(day) over (order by delay), rank() over (order by delay) from flights order by id
SELECT t0."id" AS c0, lag(t0."day", CAST(1 AS BIGINT), CAST(NULL AS VARCHAR)) OVER (ORDER BY t0."delay" ASC NULLS FIRST, t0."id") AS c1, rank() OVER (ORDER BY t0."delay" ASC NULLS FIRST) AS c2 FROM "flights" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select distinct price from flights order by price
SELECT d2.c0 FROM (SELECT d1.c0 AS c0, min(d1.o) AS o FROM (SELECT t0."price" AS c0, t0."id" AS o FROM "flights" AS t0) AS d1 GROUP BY d1.c0) AS d2 ORDER BY d2.c0 ASC NULLS FIRST, d2.o

-- select price from flights union select ratio from flights order by 1
SELECT u2.c0 FROM ((SELECT t0."price" AS c0 FROM "flights" AS t0) UNION (SELECT t1."ratio" AS c0 FROM "flights" AS t1)) AS u2 ORDER BY u2.c0 ASC NULLS FIRST, u2.c0 ASC NULLS FIRST

-- select distinct price from flights
SELECT d2.c0 FROM (SELECT d1.c0 AS c0, min(d1.o) AS o FROM (SELECT t0."price" AS c0, t0."id" AS o FROM "flights" AS t0) AS d1 GROUP BY d1.c0) AS d2 ORDER BY d2.o

-- select price, count(*) from flights group by price
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT t0."price" AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY t0."price") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select id, note from flights order by origin desc limit 3
SQLite: row order of a loop that goes backwards

-- select f.id, a.city from flights f right join airports a on a.code = f.origin order by f.id
SELECT c0, c1 FROM (SELECT *, (lead(TRUE) OVER () AND c0 IS NOT DISTINCT FROM lead(c0) OVER ()) AS t FROM (SELECT t0."id" AS c0, t1."city" AS c1 FROM "flights" AS t0 RIGHT JOIN "airports" AS t1 ON (t1."code" = t0."origin") ORDER BY t0."id" ASC NULLS FIRST) AS d2) AS d3 WHERE CASE WHEN t THEN CAST(error('tablegate: tied') AS BOOLEAN) ELSE TRUE END

-- select f.id as flight, a.city from flights f right join airports a on a.code = f.origin order by upper(a.city) desc, flight limit 10 offset 5
SELECT c0, c1 FROM (SELECT *, (row_number() OVER () > 5 AND ((lead(TRUE) OVER () AND s0 IS NOT DISTINCT FROM lead(s0) OVER () AND c0 IS NOT DISTINCT FROM lead(c0) OVER ()) OR (lag(TRUE) OVER () AND s0 IS NOT DISTINCT FROM lag(s0) OVER () AND c0 IS NOT DISTINCT FROM lag(c0) OVER ()))) AS t FROM (SELECT t0."id" AS c0, t1."city" AS c1, CASE WHEN strlen(t1."city") = length(t1."city") THEN upper(t1."city") ELSE translate(t1."city", 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') END AS s0 FROM "flights" AS t0 RIGHT JOIN "airports" AS t1 ON (t1."code" = t0."origin") ORDER BY CASE WHEN strlen(t1."city") = length(t1."city") THEN upper(t1."city") ELSE translate(t1."city", 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') END DESC NULLS LAST, t0."id" ASC NULLS FIRST LIMIT (10 + 5 + 1)) AS d2) AS d3 WHERE CASE WHEN t THEN CAST(error('tablegate: tied') AS BOOLEAN) ELSE TRUE END LIMIT 10 OFFSET 5

-- select a.city from flights f right join airports a on a.code = f.origin order by a.city
SELECT t1."city" AS c0 FROM "flights" AS t0 RIGHT JOIN "airports" AS t1 ON (t1."code" = t0."origin") ORDER BY t1."city" ASC NULLS FIRST

-- select f.id, (select b.id from airports b right join airports c on b.id = c.id where c.code = f.origin order by b.city limit 1) from flights f order by f.id
SQLite: row order of a RIGHT or FULL JOIN

-- select origin, day, sum(delay) from flights group by origin, day order by day desc, origin limit 5
SELECT g1.k0 AS c0, g1.k1 AS c1, g1.a2 AS c2 FROM (SELECT t0."origin" AS k0, t0."day" AS k1, CAST(sum(t0."delay") AS BIGINT) AS a2 FROM "flights" AS t0 GROUP BY t0."origin", t0."day") AS g1 ORDER BY g1.k1 DESC NULLS LAST, g1.k0 ASC NULLS FIRST LIMIT 5

-- select origin, day, sum(delay) from flights group by origin, day order by day desc limit 5
SELECT g1.k0 AS c0, g1.k1 AS c1, g1.a2 AS c2 FROM (SELECT t0."origin" AS k0, t0."day" AS k1, CAST(sum(t0."delay") AS BIGINT) AS a2 FROM "flights" AS t0 GROUP BY t0."origin", t0."day") AS g1 ORDER BY g1.k1 DESC NULLS LAST, g1.k0 ASC NULLS FIRST LIMIT 5

-- select f.origin, a.city, count(*) from flights f right join airports a on a.code = f.origin group by f.origin, a.city order by a.city, f.origin
SELECT g2.k0 AS c0, g2.k1 AS c1, g2.a2 AS c2 FROM (SELECT t0."origin" AS k0, t1."city" AS k1, count(*) AS a2 FROM "flights" AS t0 RIGHT JOIN "airports" AS t1 ON (t1."code" = t0."origin") GROUP BY t0."origin", t1."city") AS g2 ORDER BY g2.k1 ASC NULLS FIRST, g2.k0 ASC NULLS FIRST
