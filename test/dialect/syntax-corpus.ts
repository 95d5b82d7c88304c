// Statements that the reference's parser takes, for comparison with its normal form: a line each.

/** Put into `select ... from t`. */
export const EXPRESSIONS: readonly string[] = `
1
007
12345678901234567890
0x1f
0X1F
-1
- 1
- 0x10
'text'
''
'it''s'
'a''''b'
'a"b'
'-- no comment'
'/* nor this */'
'ü😀'
x'0a'
X'0Aff'
x''
NULL
Null
TRUE
False
id
ID
"id"
[id]
\`id\`
t.id
"t".id
t."id"
[t].[id]
\`t\`.\`id\`
_x
a1_b
count( * )
COUNT(*)
Count( id )
count(DISTINCT id)
count( distinct  (a) )
count(distinct -a)
count(distinct 'x')
count(distinct a, b)
count()
sum(a)/count(*)
Round(Avg(a), 2)
UPPER(b)
max(a,b)
min( a , b , c )
total(a)
group_concat(a)
group_concat(a, ',')
group_concat(distinct a)
coalesce(a,'x')
ifnull(a,b)
nullif(a,b)
iif(a,b,c)
json_object('a', a, 'b', b)
json_group_array(json_object('id',id))
json_extract(a,'$.x')
json_array(1,'2',null)
json_array_length(a)
json_valid(a)
json_type(a, '$.b')
json_each.value
substr(a,1,2)||'x'
substr(a,-1)
length(a)>3 and b
replace(a,'x','y')
trim(a), ltrim(a, 'x'), rtrim(a)
hex(a), quote(a), char(65,66), unicode('a'), instr(a,'b')
printf('%d', a), format('%s', b)
abs(a), ABS(A), sign(a)
like(a, b)
LIKE ( a , b , c )
glob('a*', b)
typeof(a)
block_num(1)
block_num()
txn_hash()
count(*) filter (where a > 1)
count( a ) filter ( where a > 1 )
count(*) FILTER (WHERE (a))
count(*) filter (where a) + 1
a + b
a-b
a * b
a/b
a % b
a & b
a|b
a << b
a>>b
a || b
a -> '$.x'
a->>'$.x'
a->>'$.x'->'y'
(a->'x')->>'y'
a->1
a -> -1
a = b
a==b
a <> b
a!=b
a < b
a<=b
a > b
a >= b
a = b = c
a < b = c
a is b is c
a and b
a AND b or C
a or b and c
(a or b) and c
a and (b) and (c)
(a) or (b)
a or -b
'x' and 'y'
a is b
a is not b
a IS NULL
a is not null
a is not (null)
(a) is not null
(a) is b
a is (b)
a is -1
a is 'x'
a is not 'x'
1 is 1
null is null
a isnull
a notnull
a not null
a NOT NULL and b
(a) isnull
(a)notnull
'x' isnull
1 isnull
a like 'x'
a LIKE 'x%'
a not like 'x'
a like 'x' escape '!'
a like ('x') escape ('!')
a like -1
'x' like 'y'
(a) like b
a not like (b)
a glob 'x*'
a not glob 'x*'
a regexp 'x'
a not regexp 'x'
a match 'x'
a not match 'x'
a glob 'x' and b
a between 1 and 2
a not between 1 and 2
a between (1) and (2)
a between -1 and +2
(a) between (b) and (c)
a between 'x' and 'y' or b
a between 1 and 2 and b between 3 and 4
a between b + 1 and c * 2
a in (1,2,3)
a not in (1)
a in ()
a not in ()
a in ((1),(2))
(a) in (1)
(a) not in (1)
-a in (1)
'x' in ('y')
a in (-1,- 2)
a in (select b from u)
a not in (select b from u where u.c = t.c)
a in (select b from u union select c from v)
a not in (1,2) is null
(a in (1)) is null
(a = b) is not null
case a when 1 then 'x' else 'y' end
case when a then 1 end
case when a=1 then -1 when b then +2 else -a end
case (a) when (1) then (2) else (3) end
case when (a) then (b) when (c) then (d) end
case (a) when b then (c) end
case -a when -b then -c else -d end
case 'x' when 'y' then 'z' end
case "a" when [b] then \`c\` end
CASE a WHEN 1 THEN 2 WHEN 3 THEN 4 ELSE 5 END
-case a when 1 then 2 end
a+case a when 1 then 2 end
case a when 1 then 2 end+1
case when a then b end || 'x'
case when a in (1) then b else c end
case when a then case when b then 1 else 2 end else 3 end
cast(a as text)
CAST ( a AS INTEGER )
cast(a as none)
cast((a)as text)
cast(-a as integer)
cast(a as text) collate nocase
cast(a || b as text) || 'x'
a collate nocase
a COLLATE NOCASE
a collate rtrim = b
a collate nocase collate rtrim
(a) collate binary
-a
+a
~a
+1
~1
- - a
-(-1)
-(a)
+ - a
~ - a
- ~a
~~a
-5+3
-a*b
(-a)*b
-(a*b)
~-5
-~5
- +5
+ -5
-'5'
-x'01'
-null
-true
-(-a)
- 1 + 2
1 - (-1)
a+-1
a*-1
a||-1
a <> -1
a=-1
a>-1
a>= -1
a<(-1)
a between -1 and - 2
(a)
((a))
(((a+b)))
(a + b) * c
a + (b * c)
(a)+(b)
a - (b)
(a) - b
a- b - c
a-(b-c)
a/b/c
a * (b+c)
a<<b|c&d
a|b|c
a||b||c
(a||b)||c
a||(b||c)
a || (b)
-(a)||b
1 + 2 * 3 - 4 / 5 % 6
a + b < c - d
a & b = c
a = b and c = d or e = f
a < b and b < c
(select max(b) from u)
(select a from t union select b from u limit 1)
(select (1) from t)
(select a from u where u.a = t.a order by b limit 1)
(select max(b) from u) + 1
(select a from u) is null
exists(select 1 from u)
EXISTS ( SELECT 1 FROM u ) and a
not exists (select b from u where u.a = t.a)
not exists (select 1 from u) and a
a and not exists (select 1 from u)
(not exists (select 1 from u))
a as b
a b
a 'c'
a as 'd'
a 'x y'
a "E"
a [g]
a \`h\`
(a)as b
(a)b
1 'c'
x'00' d
null e
count(*) as n
count(*) filter (where a = 1) as n
a as b, c as d, e
-a as b
*
t.*
*, t.*
a, *
rowid
_rowid_, oid
'{}' -> '$'
a->'$.b' = 'c'
a->>'b' > 5
a || 'x' = b || 'y'
`
  .trim()
  .split('\n');

/** Whole statements. */
export const STATEMENTS: readonly string[] = `
select distinct a from t
select distinct -a, b from t
select distinct (a) from t
select distinct * from t
select distinct count(*) from t
SELECT A, B FROM T
select a from t;
  select   a ,b
select a from t as x
select a from t x
select a from t as "x"
select a from t [x]
select a from T as X where X.a=1
select a from "t" where \`a\` = [b]
select a.b, 'x' as "y" from t as a
select A.B, t.* from t as A
select a from t, u
select a from t, u, v where t.a = u.a and u.b = v.b
select a from t join u
select a from t JOIN u ON t.a = u.a
select a from t join u on (t.a = u.a)
select a from t inner join u using (a)
select a from t inner join u using (a, b)
select a from t inner join u on t.a = u.a
select a from t left join u on t.a=u.a
select a from t left outer join v on 1=1
select a from t left join u on t.a=u.a left outer join v on 1=1
select a from t cross join u
select a from t cross join u cross join v
select a from t natural left join u
select a from t natural left outer join u
select a from t natural inner join u
select a from t right join u on t.a=u.a
select a from t right outer join u on 1=1
select a from t full join u on 1=1
select a from t full outer join u on t.a=u.a
select a from t join u on a = b join v on c = d
select a from (t join u)
select a from (t, u)
select a from (t join u on a=b) join v on c=d
select a from t join (u join v on c=d) on a=b
select a from t, u join v on 1=1
select a from t as "x" join u as [y] using ("a")
select a from t left join (select 1 from u) as s on (a=b) where (1)
select a from (select a from t)
select a from (select a from t) as s, (select b from u) v
select a from (select 1 from t) join (select 2 from u)
select * from (select a from t union all select b from u order by 1 limit 2) as s
select a from (select a from (select a from (select a from t)))
select a from t where a
select a from t where -a
select a from t where 'x'
select a from t where (a)
select a from t where not exists(select 1 from u)
select a from t where exists(select 1 from u) and (a = 1 or b = 2)
select a from t where a = 1 and b between 1 and 2 and c between 3 and 4 or d
select a from t where a in ('x','y') and b like '%z%' or not exists (select c from u where u.c = t.c)
select a from t where a not in () and b in ()
select a from t where a = 'it''s'
select a from t where a == 1 and b <> 2
select a from t where (a = 1) and (b = 2)
select a from t where (a = 1 or b = 2) and c = 3
select a from t where id > (select avg(id) from u)
select a from t group by a
select a from t group by a, b having count(*) > 1
select a from t group by (a), b having (a) order by -a, +b desc
select a from t having count(*) > 1
select a, count(*) from t group by 1 order by 2 desc
select a from t order by a
select a from t order by a desc, b asc, c
select a from t order by a nulls first
select a from t order by a desc nulls last, b asc nulls first
select a from t order by a collate nocase desc nulls last
select a from t order by null
select a from t order by 'x', null desc, -1
select a from t order by lower(a), b || c
select a from t limit 10
select a from t limit 10 offset 5
select a from t limit 1, 2
select a from t limit -1
select a from t limit 1 + 1
select a from t where (a) order by (a) limit (1) offset (2)
select a from t where a = 1 group by a, b having count(*) > 1 order by a, b desc, c asc nulls first limit 10 offset 5
select a from t union select b from u
select a from t union all select b from u
select a from t intersect select b from u
select a from t except select b from u
select a from t intersect select b from u except select c from v order by 1
select a from t union select b from u limit 1
select a from t union all select b from u where (c) union select d from v
select a from t union all select b from u order by a desc limit 3 offset 1
select count(*)from t where a<>1
select json_object('name', name, 'attributes', json_group_array(json_object('trait_type', k, 'value', v))) from t join u on t.id = u.id where t.id = 1 group by t.id
select rigs.id, image, parts.type from t rigs join u parts on rigs.id = parts.rig_id where parts.type = 'Fleet' limit 5
`
  .trim()
  .split('\n')
  .filter((line) => line.includes(' from '));
