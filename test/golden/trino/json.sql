-- select json_extract(meta, '$.name'), meta ->> 'name', meta ->> '$.tags[0]' from flights order by id
refused: text of JSON at a path: the table lives in the distributed engine

-- select meta -> '$.name' from flights order by id
refused: such a path of JSON: the table lives in the distributed engine

-- select json_extract(origin, '$.name') from flights order by id
refused: JSON that is not known to be valid: the table lives in the distributed engine

-- select json_extract(meta, '$."a b"') from flights order by id
refused: such a path of JSON: the table lives in the distributed engine

-- select sum(json_extract('{"a":' || delay || '}', '$.a')) from flights
SELECT CAST(g1.a0 AS VARCHAR) AS c0 FROM (SELECT CAST(sum(t0."delay") AS BIGINT) AS a0 FROM "lake"."s000001"."f1" AS t0) AS g1

-- select json_object('id', id, 'origin', origin) from flights order by id
SELECT ('{' || CASE WHEN NOT regexp_like('id', '[\x01-\x1f]') THEN '"' || replace(replace('id', '\', '\\'), '"', '\"') || '"' WHEN 'id' IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END || ':' || CAST(t0."id" AS VARCHAR) || ',' || CASE WHEN NOT regexp_like('origin', '[\x01-\x1f]') THEN '"' || replace(replace('origin', '\', '\\'), '"', '\"') || '"' WHEN 'origin' IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END || ':' || COALESCE(CASE WHEN NOT regexp_like(t0."origin", '[\x01-\x1f]') THEN '"' || replace(replace(t0."origin", '\', '\\'), '"', '\"') || '"' WHEN t0."origin" IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END, 'null') || '}') AS c0 FROM "lake"."s000001"."f1" AS t0 ORDER BY t0."id" ASC NULLS FIRST

-- select json_object('price', price) from flights order by id
refused: real as JSON: the table lives in the distributed engine

-- select json_group_array(json_object('id', id)) from flights
SELECT g1.a0 AS c0 FROM (SELECT ('[' || COALESCE(array_join(array_agg(('{' || CASE WHEN NOT regexp_like('id', '[\x01-\x1f]') THEN '"' || replace(replace('id', '\', '\\'), '"', '\"') || '"' WHEN 'id' IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END || ':' || CAST(t0."id" AS VARCHAR) || '}') ORDER BY t0."origin" ASC NULLS FIRST, t0."id") FILTER (WHERE (('{' || CASE WHEN NOT regexp_like('id', '[\x01-\x1f]') THEN '"' || replace(replace('id', '\', '\\'), '"', '\"') || '"' WHEN 'id' IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END || ':' || CAST(t0."id" AS VARCHAR) || '}') IS NOT NULL)), ','), '') || ']') AS a0 FROM "lake"."s000001"."f1" AS t0) AS g1

-- select json_group_array(origin) from flights where delay > 100
SELECT g1.a0 AS c0 FROM (SELECT ('[' || COALESCE(array_join(array_agg(COALESCE(CASE WHEN NOT regexp_like(t0."origin", '[\x01-\x1f]') THEN '"' || replace(replace(t0."origin", '\', '\\'), '"', '\"') || '"' WHEN t0."origin" IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END, 'null') ORDER BY t0."id") FILTER (WHERE (COALESCE(CASE WHEN NOT regexp_like(t0."origin", '[\x01-\x1f]') THEN '"' || replace(replace(t0."origin", '\', '\\'), '"', '\"') || '"' WHEN t0."origin" IS NOT NULL THEN CAST(fail('tablegate: elsewhere') AS VARCHAR) END, 'null') IS NOT NULL)), ','), '') || ']') AS a0 FROM "lake"."s000001"."f1" AS t0 WHERE (t0."delay" > CAST(100 AS BIGINT))) AS g1

-- select value from flights, json_each(meta)
refused: table function json_each: the table lives in the distributed engine
