-- select id, delay + 1, delay * 2.5, delay / 7, delay / 7.0, delay % 60, - delay from flights order by id
SELECT t0."id" AS c0, (t0."delay" + CAST(1 AS BIGINT)) AS c1, NULLIF((CAST(t0."delay" AS DOUBLE) * 2.5e0), CAST('nan' AS DOUBLE)) AS c2, (t0."delay" // CAST(7 AS BIGINT)) AS c3, NULLIF((CAST(t0."delay" AS DOUBLE) / NULLIF(7e0, 0e0)), CAST('nan' AS DOUBLE)) AS c4, (t0."delay" % CAST(60 AS BIGINT)) AS c5, (- t0."delay") AS c6 FROM "flights" AS t0

-- select id, price * (1 - price) * (1 + price) from flights order by id
SELECT t0."id" AS c0, NULLIF(((t0."price" * (1e0 - t0."price")) * (1e0 + t0."price")), CAST('nan' AS DOUBLE)) AS c1 FROM "flights" AS t0

-- select id, round(price), round(price, 2), round(delay) from flights order by id
SELECT t0."id" AS c0, CASE WHEN abs(t0."price") < 4503599627370496e0 THEN trunc(t0."price" + CASE WHEN t0."price" < 0 THEN -0.5e0 ELSE 0.5e0 END) + 0e0 ELSE t0."price" END AS c1, CASE WHEN (abs(t0."price") * 100e0) < 1099511627776e0 THEN CASE WHEN abs((abs(t0."price") * 100e0) - floor((abs(t0."price") * 100e0)) - 0.5e0) > 0.001e0 THEN CASE WHEN t0."price" < 0 THEN - (floor((abs(t0."price") * 100e0) + 0.5e0) / 100e0) ELSE (floor((abs(t0."price") * 100e0) + 0.5e0) / 100e0) END ELSE CASE WHEN t0."price" < 0 THEN - ((CASE WHEN (((abs(t0."price") * 134217729e0 - (abs(t0."price") * 134217729e0 - abs(t0."price"))) * 200e0 - (2e0 * floor((abs(t0."price") * 100e0)) + 1e0)) + (abs(t0."price") - (abs(t0."price") * 134217729e0 - (abs(t0."price") * 134217729e0 - abs(t0."price")))) * 200e0) >= - pow(10, floor(log10((abs(t0."price") * 100e0))) - 15) THEN floor((abs(t0."price") * 100e0)) + 1e0 ELSE floor((abs(t0."price") * 100e0)) END) / 100e0) ELSE ((CASE WHEN (((abs(t0."price") * 134217729e0 - (abs(t0."price") * 134217729e0 - abs(t0."price"))) * 200e0 - (2e0 * floor((abs(t0."price") * 100e0)) + 1e0)) + (abs(t0."price") - (abs(t0."price") * 134217729e0 - (abs(t0."price") * 134217729e0 - abs(t0."price")))) * 200e0) >= - pow(10, floor(log10((abs(t0."price") * 100e0))) - 15) THEN floor((abs(t0."price") * 100e0)) + 1e0 ELSE floor((abs(t0."price") * 100e0)) END) / 100e0) END END WHEN t0."price" IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS DOUBLE) END AS c2, CAST(t0."delay" AS DOUBLE) AS c3 FROM "flights" AS t0

-- select id, round(price, delay) from flights order by id
SQLite: round to a number of digits that is no literal

-- select id, delay << 2, seen >> 4, delay & 7, ~ delay from flights order by id
SELECT t0."id" AS c0, (t0."delay" * 4) AS c1, (t0."seen" >> CAST(4 AS BIGINT)) AS c2, (t0."delay" & CAST(7 AS BIGINT)) AS c3, (~ t0."delay") AS c4 FROM "flights" AS t0

-- select id, delay << delay from flights order by id
SELECT t0."id" AS c0, (t0."delay" * (CAST(1 AS BIGINT) << CASE WHEN t0."delay" BETWEEN 0 AND 62 THEN t0."delay" WHEN t0."delay" IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS BIGINT) END)) AS c1 FROM "flights" AS t0

-- select id, cast(price as integer), cast(delay as text), cast(origin as integer) from flights order by id
SELECT t0."id" AS c0, CAST(trunc(t0."price") AS BIGINT) AS c1, CAST(t0."delay" AS VARCHAR) AS c2, CASE WHEN regexp_full_match(t0."origin", '[0-9]{1,18}|-0*[1-9][0-9]{0,17}') THEN CAST(t0."origin" AS BIGINT) WHEN t0."origin" IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS BIGINT) END AS c3 FROM "flights" AS t0

-- select id, cast(price as text) from flights order by id
SQLite: real as text

-- select id, day + 0, origin + 1 from flights order by id
SELECT t0."id" AS c0, (CAST(substring(t0."day", 1, 4) AS BIGINT) + CAST(0 AS BIGINT)) AS c1, (CASE WHEN regexp_full_match(t0."origin", '[0-9]{1,18}|-0*[1-9][0-9]{0,17}') THEN CAST(t0."origin" AS BIGINT) WHEN t0."origin" IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS BIGINT) END + CAST(1 AS BIGINT)) AS c2 FROM "flights" AS t0

-- select id from flights where delay > 10.5 and price > 100 and delay = '5' order by id
SELECT t0."id" AS c0 FROM "flights" AS t0 WHERE (((CAST(t0."delay" AS DOUBLE) > 10.5e0)) AND ((100e0 < t0."price")) AND (t0."delay" = CAST(5 AS BIGINT)))

-- select id from flights where origin = 5 or origin = delay order by id
SQLite: text compared as a number

-- select id from flights where delay in (1, 2.0, 'x') and delay between -5 and 5 order by id
SELECT t0."id" AS c0 FROM "flights" AS t0 WHERE ((t0."delay" IN (CAST(1 AS BIGINT)) OR ((CAST(t0."delay" AS DOUBLE) = 2e0)) OR (CASE WHEN t0."delay" IS NOT NULL THEN FALSE END)) AND ((t0."delay" >= CAST(- 5 AS BIGINT)) AND (t0."delay" <= CAST(5 AS BIGINT))))

-- select sum(delay), avg(delay), total(delay), min(delay), max(origin), count(distinct origin) from flights
SELECT g1.a0 AS c0, g1.a1 AS c1, g1.a2 AS c2, g1.a3 AS c3, g1.a4 AS c4, g1.a5 AS c5 FROM (SELECT CAST(sum(t0."delay") AS BIGINT) AS a0, (CAST(sum(t0."delay") AS DOUBLE) / NULLIF(count(t0."delay"), 0)) AS a1, COALESCE(CAST(sum(t0."delay") AS DOUBLE), 0e0) AS a2, min(t0."delay") AS a3, max(t0."origin") AS a4, count(DISTINCT t0."origin") AS a5 FROM "flights" AS t0) AS g1

-- select sum(id * id * id * id * delay) from flights
SELECT g1.a0 AS c0 FROM (SELECT CASE WHEN CAST(sum(abs(((((t0."id" * t0."id") * t0."id") * t0."id") * t0."delay"))) AS BIGINT) IS NOT NULL THEN CAST(sum(((((t0."id" * t0."id") * t0."id") * t0."id") * t0."delay")) AS BIGINT) END AS a0 FROM "flights" AS t0) AS g1

-- select sum(price), avg(price), total(price), sum(price * (1 - price)) from flights
SELECT g1.a0 AS c0, g1.a1 AS c1, g1.a2 AS c2, g1.a3 AS c3 FROM (SELECT (CAST(sum(t0."scaled_9") AS DOUBLE) / 1e2) AS a0, ((CAST(sum(t0."scaled_9") AS DOUBLE) / 1e2) / NULLIF(count(t0."price"), 0)) AS a1, COALESCE((CAST(sum(t0."scaled_9") AS DOUBLE) / 1e2), 0e0) AS a2, (CAST(sum((t0."scaled_9" * ((CAST(1 AS BIGINT) * 100) - t0."scaled_9"))) AS DOUBLE) / 1e4) AS a3 FROM "flights" AS t0) AS g1

-- select sum(case when delay > 0 then price else 0 end) / sum(price) from flights
SELECT NULLIF((g1.a0 / NULLIF(g1.a1, 0e0)), CAST('nan' AS DOUBLE)) AS c0 FROM (SELECT (CAST(sum(CASE WHEN (t0."delay" > CAST(0 AS BIGINT)) THEN t0."scaled_9" ELSE (CAST(0 AS BIGINT) * 100) END) AS DOUBLE) / 1e2) AS a0, bool_and(CASE WHEN (t0."delay" > CAST(0 AS BIGINT)) THEN FALSE ELSE TRUE END) FILTER (WHERE (CASE WHEN (t0."delay" > CAST(0 AS BIGINT)) THEN t0."price" ELSE 0e0 END IS NOT NULL)) AS a0w, (CAST(sum(t0."scaled_9") AS DOUBLE) / 1e2) AS a1 FROM "flights" AS t0) AS g1

-- select sum(case when delay > 0 then price else 0 end) from flights
SELECT CASE WHEN g1.a0w THEN CAST(CAST(g1.a0 AS BIGINT) AS UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)) WHEN g1.a0 IS NOT NULL THEN CAST(g1.a0 AS UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)) END AS c0 FROM (SELECT (CAST(sum(CASE WHEN (t0."delay" > CAST(0 AS BIGINT)) THEN t0."scaled_9" ELSE (CAST(0 AS BIGINT) * 100) END) AS DOUBLE) / 1e2) AS a0, bool_and(CASE WHEN (t0."delay" > CAST(0 AS BIGINT)) THEN FALSE ELSE TRUE END) FILTER (WHERE (CASE WHEN (t0."delay" > CAST(0 AS BIGINT)) THEN t0."price" ELSE 0e0 END IS NOT NULL)) AS a0w FROM "flights" AS t0) AS g1

-- select coalesce(price, 0) from flights order by id
SELECT CASE WHEN CASE WHEN t0."price" IS NOT NULL THEN FALSE WHEN 0e0 IS NOT NULL THEN TRUE ELSE FALSE END THEN CAST(CAST(COALESCE(t0."price", 0e0) AS BIGINT) AS UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)) WHEN COALESCE(t0."price", 0e0) IS NOT NULL THEN CAST(COALESCE(t0."price", 0e0) AS UNION(i BIGINT, r DOUBLE, t VARCHAR, b BLOB)) END AS c0 FROM "flights" AS t0

-- select case when delay > 0 then 'late' else delay end from flights order by id
SQLite: values of several kinds

-- select sum(distinct price) from flights
SQLite: sum of distinct reals

-- select abs(price * ratio), max(price * ratio, 0.5), min(price, price * ratio) from flights order by id
SELECT CASE WHEN NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) < 0 THEN - NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) ELSE NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) END AS c0, CASE WHEN NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) IS NOT NULL THEN CASE WHEN greatest(NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)), 0.5e0) <> 0 THEN greatest(NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)), 0.5e0) WHEN NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) = 0 THEN NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) WHEN 0.5e0 = 0 THEN 0.5e0 END END AS c1, CASE WHEN t0."price" IS NOT NULL AND NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) IS NOT NULL THEN CASE WHEN least(t0."price", NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE))) <> 0 THEN least(t0."price", NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE))) WHEN NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) = 0 THEN NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE)) WHEN t0."price" = 0 THEN t0."price" END END AS c2 FROM "flights" AS t0

-- select max(price * ratio), min(price) from flights
SELECT g1.a0 AS c0, g1.a1 AS c1 FROM (SELECT max(NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE))) AS a0, min(t0."price") AS a1 FROM "flights" AS t0) AS g1

-- select abs(delay), abs(price), sqrt(price), floor(price), typeof(delay) from flights order by id
SELECT abs(t0."delay") AS c0, abs(t0."price") AS c1, NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE)) AS c2, floor(t0."price") AS c3, CASE WHEN t0."delay" IS NULL THEN 'null' ELSE 'integer' END AS c4 FROM "flights" AS t0

-- select random() from flights
SQLite: function random

-- select median(delay) from flights
SQLite: function median

-- select sum(price) over (order by id) from flights order by id
SQLite: sum of reals in a window

-- select origin, sum(ratio), avg(price * ratio) from flights group by origin
SELECT g1.k0 AS c0, g1.a1 AS c1, g1.a2 AS c2 FROM (SELECT t0."origin" AS k0, ((CAST(sum(CAST(trunc((t0."ratio" * 576460752303423500e0)) AS BIGINT)) AS DOUBLE) + CAST(sum(CAST(((t0."ratio" * 576460752303423500e0) - trunc((t0."ratio" * 576460752303423500e0))) * 4611686018427388000e0 AS BIGINT)) AS DOUBLE) * 2.168404344971009e-19) * 1.734723475976807e-18) AS a1, (((CAST(sum(CAST(trunc(((t0."price" * t0."ratio") * 281474976710656e0)) AS BIGINT)) AS DOUBLE) + CAST(sum(CAST((((t0."price" * t0."ratio") * 281474976710656e0) - trunc(((t0."price" * t0."ratio") * 281474976710656e0))) * 4611686018427388000e0 AS BIGINT)) AS DOUBLE) * 2.168404344971009e-19) * 3.552713678800501e-15) / NULLIF(count(NULLIF((t0."price" * t0."ratio"), CAST('nan' AS DOUBLE))), 0)) AS a2 FROM "flights" AS t0 GROUP BY t0."origin") AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select sum(volume) from (select price * (1 - 0.05) as volume from flights)
SELECT g2.a0 AS c0 FROM (SELECT (CAST(sum(CAST(t1.c0 * 1e4 AS BIGINT)) AS DOUBLE) / 1e4) AS a0 FROM (SELECT NULLIF((t0."price" * (1e0 - 0.05e0)), CAST('nan' AS DOUBLE)) AS c0 FROM "flights" AS t0) AS t1) AS g2

-- select sum(sqrt(price)) from flights
SELECT g1.a0 AS c0 FROM (SELECT CASE WHEN abs((CAST(sum(CAST(trunc(NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE))) AS BIGINT)) AS DOUBLE) + CAST(sum(CAST((NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE)) - trunc(NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE)))) * 4611686018427388000e0 AS BIGINT)) AS DOUBLE) * 2.168404344971009e-19)) * 1024e0 < count(*) FILTER (WHERE (NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE)) <> 0)) THEN CAST(error('tablegate: elsewhere') AS DOUBLE) ELSE (CAST(sum(CAST(trunc(NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE))) AS BIGINT)) AS DOUBLE) + CAST(sum(CAST((NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE)) - trunc(NULLIF(CASE WHEN t0."price" >= 0 THEN sqrt(t0."price") END, CAST('nan' AS DOUBLE)))) * 4611686018427388000e0 AS BIGINT)) AS DOUBLE) * 2.168404344971009e-19) END AS a0 FROM "flights" AS t0) AS g1

-- select sum(case when delay = 3 then price * (1 - 0.05) else 0.0 end) from flights
SELECT g1.a0 AS c0 FROM (SELECT (CAST(sum(CASE WHEN (t0."delay" = CAST(3 AS BIGINT)) THEN (t0."scaled_9" * ((CAST(1 AS BIGINT) * 100) - CAST(5 AS BIGINT))) ELSE (CAST(0 AS BIGINT) * 1000) END) AS DOUBLE) / 1e4) AS a0 FROM "flights" AS t0) AS g1

-- select sum(price / 7.0) from flights
SELECT g1.a0 AS c0 FROM (SELECT ((CAST(sum(CAST(trunc(((t0."price" / NULLIF(7e0, 0e0)) * 4503599627370496e0)) AS BIGINT)) AS DOUBLE) + CAST(sum(CAST((((t0."price" / NULLIF(7e0, 0e0)) * 4503599627370496e0) - trunc(((t0."price" / NULLIF(7e0, 0e0)) * 4503599627370496e0))) * 4611686018427388000e0 AS BIGINT)) AS DOUBLE) * 2.168404344971009e-19) * 2.220446049250313e-16) AS a0 FROM "flights" AS t0) AS g1

-- select id, price from flights order by price, id limit 3
SELECT t0."id" AS c0, t0."price" AS c1 FROM "flights" AS t0 ORDER BY t0."price" ASC NULLS FIRST, t0."id" ASC NULLS FIRST LIMIT 3

-- select min(price), max(price, ratio) from flights
SELECT g1.a0 AS c0, CASE WHEN g1.g1b.f0 IS NOT NULL AND g1.g1b.f1 IS NOT NULL THEN greatest(g1.g1b.f0, g1.g1b.f1) END AS c1 FROM (SELECT min(t0."price") AS a0, first(struct_pack(f0 := t0."price", f1 := t0."ratio") ORDER BY t0."price" ASC NULLS LAST, CASE WHEN t0."price" IS NULL THEN -t0."id" END, t0."id") AS g1b FROM "flights" AS t0) AS g1
