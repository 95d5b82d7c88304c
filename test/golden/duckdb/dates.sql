-- select strftime('%Y', at), count(*) from flights group by 1 order by 1
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT substring(t0."at", 1, 4) AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY substring(t0."at", 1, 4)) AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select strftime('%Y-%m', day), count(*) from flights group by 1 order by 1
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT (substring(t0."day", 1, 4) || '-' || substring(t0."day", 6, 2)) AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY (substring(t0."day", 1, 4) || '-' || substring(t0."day", 6, 2))) AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select strftime('%H:%M', at), count(*) from flights group by 1 order by 1
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT (substring(substring(t0."at", 12, 8), 1, 2) || ':' || substring(substring(t0."at", 12, 8), 4, 2)) AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY (substring(substring(t0."at", 12, 8), 1, 2) || ':' || substring(substring(t0."at", 12, 8), 4, 2))) AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select strftime('%w %j %W', at), count(*) from flights group by 1 order by 1
SELECT g1.k0 AS c0, g1.a1 AS c1 FROM (SELECT (CAST(dayofweek(CAST(t0."at" AS TIMESTAMP)) AS VARCHAR) || ' ' || lpad(CAST(dayofyear(CAST(t0."at" AS TIMESTAMP)) AS VARCHAR), 3, '0') || ' ' || lpad(CAST((dayofyear(CAST(t0."at" AS TIMESTAMP)) - 1 - (isodow(CAST(t0."at" AS TIMESTAMP)) - 1) + 7) // 7 AS VARCHAR), 2, '0')) AS k0, count(*) AS a1 FROM "flights" AS t0 GROUP BY (CAST(dayofweek(CAST(t0."at" AS TIMESTAMP)) AS VARCHAR) || ' ' || lpad(CAST(dayofyear(CAST(t0."at" AS TIMESTAMP)) AS VARCHAR), 3, '0') || ' ' || lpad(CAST((dayofyear(CAST(t0."at" AS TIMESTAMP)) - 1 - (isodow(CAST(t0."at" AS TIMESTAMP)) - 1) + 7) // 7 AS VARCHAR), 2, '0'))) AS g1 ORDER BY g1.k0 ASC NULLS FIRST

-- select date(at), time(at), datetime(day), julianday(at), unixepoch(day) from flights order by id
SELECT substring(t0."at", 1, 10) AS c0, substring(t0."at", 12, 8) AS c1, (t0."day" || ' 00:00:00') AS c2, ((epoch_ms(CAST(t0."at" AS TIMESTAMP)) + 210866760000000) / 86400000e0) AS c3, (epoch_ms(CAST(t0."day" AS TIMESTAMP)) // 1000) AS c4 FROM "flights" AS t0

-- select date(at, 'start of month'), date(day, '+1 month', '-1 day'), date(day, 'weekday 1') from flights order by id
SELECT (substring(substring(t0."at", 1, 10), 1, 7) || '-01') AS c0, strftime(CASE WHEN (CASE WHEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) >= TIMESTAMP '0001-01-01' AND (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) < TIMESTAMP '10000-01-01' THEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) WHEN CAST(t0."day" AS TIMESTAMP) IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END + INTERVAL (-1) DAY) >= TIMESTAMP '0001-01-01' AND (CASE WHEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) >= TIMESTAMP '0001-01-01' AND (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) < TIMESTAMP '10000-01-01' THEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) WHEN CAST(t0."day" AS TIMESTAMP) IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END + INTERVAL (-1) DAY) < TIMESTAMP '10000-01-01' THEN (CASE WHEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) >= TIMESTAMP '0001-01-01' AND (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) < TIMESTAMP '10000-01-01' THEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) WHEN CAST(t0."day" AS TIMESTAMP) IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END + INTERVAL (-1) DAY) WHEN CASE WHEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) >= TIMESTAMP '0001-01-01' AND (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) < TIMESTAMP '10000-01-01' THEN (date_trunc('month', CAST(t0."day" AS TIMESTAMP)) + INTERVAL (1) MONTH + (CAST(t0."day" AS TIMESTAMP) - date_trunc('month', CAST(t0."day" AS TIMESTAMP)))) WHEN CAST(t0."day" AS TIMESTAMP) IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END, '%Y-%m-%d') AS c1, strftime(CASE WHEN (CAST(t0."day" AS TIMESTAMP) + to_days(CAST((1 - dayofweek(CAST(t0."day" AS TIMESTAMP)) + 7) % 7 AS INTEGER))) >= TIMESTAMP '0001-01-01' AND (CAST(t0."day" AS TIMESTAMP) + to_days(CAST((1 - dayofweek(CAST(t0."day" AS TIMESTAMP)) + 7) % 7 AS INTEGER))) < TIMESTAMP '10000-01-01' THEN (CAST(t0."day" AS TIMESTAMP) + to_days(CAST((1 - dayofweek(CAST(t0."day" AS TIMESTAMP)) + 7) % 7 AS INTEGER))) WHEN CAST(t0."day" AS TIMESTAMP) IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END, '%Y-%m-%d') AS c2 FROM "flights" AS t0

-- select date(seen, 'unixepoch'), datetime(delay, 'unixepoch'), strftime('%Y-%m', seen, 'unixepoch') from flights order by id
SELECT strftime(make_timestamp(t0."seen" * 1000000), '%Y-%m-%d') AS c0, strftime(make_timestamp(t0."delay" * 1000000), '%Y-%m-%d %H:%M:%S') AS c1, strftime(make_timestamp(t0."seen" * 1000000), '%Y-%m') AS c2 FROM "flights" AS t0

-- select count(*) from flights where day >= date('now', '-7 days')
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE (t0."day" >= strftime(CASE WHEN (make_timestamp_ms(epoch_ms(get_current_timestamp())) + INTERVAL (-7) DAY) >= TIMESTAMP '0001-01-01' AND (make_timestamp_ms(epoch_ms(get_current_timestamp())) + INTERVAL (-7) DAY) < TIMESTAMP '10000-01-01' THEN (make_timestamp_ms(epoch_ms(get_current_timestamp())) + INTERVAL (-7) DAY) WHEN make_timestamp_ms(epoch_ms(get_current_timestamp())) IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS TIMESTAMP) END, '%Y-%m-%d'))) AS g1

-- select count(*) from flights where at between '2001-01-01' and '2001-02-01'
SELECT g1.a0 AS c0 FROM (SELECT count(*) AS a0 FROM "flights" AS t0 WHERE ((t0."at" >= '2001-01-01') AND (t0."at" <= '2001-02-01'))) AS g1

-- select date(origin) from flights order by id
SQLite: date of what is no ISO date

-- select strftime('%f', at) from flights order by id
SQLite: strftime %f

-- select strftime(origin, at) from flights order by id
SQLite: strftime with such a format

-- select date(day, '+1 fortnight') from flights order by id
SQLite: date modifier +1 fortnight
