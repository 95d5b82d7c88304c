-- select json_extract(meta, '$.name'), meta ->> 'name', meta ->> '$.tags[0]' from flights order by id
SELECT CASE json_type(t0."meta", '$.name') WHEN 'VARCHAR' THEN json_extract_string(t0."meta", '$.name') WHEN 'NULL' THEN NULL ELSE CASE WHEN json_type(t0."meta", '$.name') IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS VARCHAR) END END AS c0, CASE json_type(t0."meta", '$.name') WHEN 'VARCHAR' THEN json_extract_string(t0."meta", '$.name') WHEN 'NULL' THEN NULL ELSE CASE WHEN json_type(t0."meta", '$.name') IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS VARCHAR) END END AS c1, CASE json_type(t0."meta", '$.tags[0]') WHEN 'VARCHAR' THEN json_extract_string(t0."meta", '$.tags[0]') WHEN 'NULL' THEN NULL ELSE CASE WHEN json_type(t0."meta", '$.tags[0]') IS NOT NULL THEN CAST(error('tablegate: elsewhere') AS VARCHAR) END END AS c2 FROM "flights" AS t0

-- select meta -> '$.name' from flights order by id
SQLite: such a path of JSON

-- select json_extract(origin, '$.name') from flights order by id
SQLite: JSON that is not known to be valid

-- select json_extract(meta, '$."a b"') from flights order by id
SQLite: such a path of JSON

-- select sum(json_extract('{"a":' || delay || '}', '$.a')) from flights
SELECT g1.a0 AS c0 FROM (SELECT CAST(sum(t0."delay") AS BIGINT) AS a0 FROM "flights" AS t0) AS g1

-- select json_object('id', id, 'origin', origin) from flights order by id
SELECT concat('{', CASE WHEN contains(CAST(to_json('id') AS VARCHAR), '\u00') THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE CAST(to_json('id') AS VARCHAR) END, ':', CAST(t0."id" AS VARCHAR), ',', CASE WHEN contains(CAST(to_json('origin') AS VARCHAR), '\u00') THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE CAST(to_json('origin') AS VARCHAR) END, ':', COALESCE(CASE WHEN contains(CAST(to_json(t0."origin") AS VARCHAR), '\u00') THEN CAST(error('tablegate: elsewhere') AS VARCHAR) ELSE CAST(to_json(t0."origin") AS VARCHAR) END, 'null'), '}') AS c0 FROM "flights" AS t0

-- select json_object('price', price) from flights order by id
SQLite: real as JSON

-- select json_group_array(json_object('id', id)) from flights
SQLite: JSON of all rows

-- select json_group_array(origin) from flights where delay > 100
SQLite: JSON of all rows

-- select value from flights, json_each(meta)
SQLite: table function json_each
