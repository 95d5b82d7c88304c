// Constraints as `/tables` shows them, held against the reference itself.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ddl, readDdl } from '../../src/ingest/ddl.ts';
import { type Reference, referenceBinary, startReference } from '../support/reference.ts';

const test = suite('ddl');

const TABLES: readonly string[] = [
  'id integer primary key, a text',
  'id INTEGER PRIMARY KEY DESC, a TEXT',
  'id INTEGER CONSTRAINT pk PRIMARY KEY ASC, a TEXT',
  'id int primary key, a text unique',
  'a int default 5, b int default -5, c int default +5, d int default - 7',
  "d text default 'x''y', f blob default x'00ff', h text default null, i int default true, j text default FALSE",
  "g int default (1 + 2 * 3), a int default (-5), t text default (  'x' ), n int default (null)",
  "a int default 0x10, c text default (x'00'), b text default ('x'' \"y\"')",
  'a int unique not null primary key',
  'a int default (1)not null',
  '[odd] text, `tick` text, "quo" text, Upper INT',
  'a int, b text, primary key(a asc, b collate NOCASE desc)',
  'a int, "B" text, unique("B", a)',
  "f text check(f->>'$.a' = 1)",
  'a int, b int constraint g generated always as (a) stored',
  'a int, b int generated always as (a+1) stored, c int as (a*2), d int as (a) virtual',
  'a integer, b integer as(a) stored not null unique',
  'a int, b int check (a > (b + 1) * 2)',
  "a text check (a like 'x%' escape '\\' and a glob '*' and a not between 'a' and 'b' and a not in ('x','y'))",
  "a text check (case a when 'x' then 1 else 0 end)",
  'a integer not null primary key',
  'a integer unique primary key autoincrement',
  'a integer, b text, primary key(a desc)',
  'a integer, primary key(a autoincrement)',
  'a integer constraint x primary key, b int',
  'a integer, b int, constraint x primary key(a)',
  'a integer, b int, unique(b), constraint x primary key(a asc), check(a>0)',
  'a integer not null unique, primary key(a)',
  'a integer, primary key("a")',
  '"a" integer, primary key(A)',
  'a integer, primary key(a collate nocase)',
  'a int, check(a>0), check (a<9)',
  'a int, b int, unique(a), primary key(b)',
  'a text,b text, unique(a,b)check(a>b)',
  'a int, b text, constraint pk primary key (a desc, b collate nocase), unique(b), constraint uq unique (a,b), check (a<b), constraint cc check(a in (1,2,3))',
  "a int check (a > 0 and b != ''), b text check(length(b) between 1 and 10), c text constraint nn not null constraint u unique constraint ck check(c like 'a%')",
  "a text check(length(a)=3 and substr(a,1,1) is not 'x' and a is not null and a notnull and a not like 'x')",
  "a int default 'x' not null, b blob default ''",
  'a int check(a=-1 and a=- 1 and a=~1 and a=+1)',
  'a int check((a)), b int check(((a)>1) and (a<2 or (a>3)))',
  'a int check(a between 1 and 2 or a is not null)',
  'a int check(`a`>0 and [a] < 3)',
  '"A" integer constraint "my pk" primary key',
  'a text default "x"',
  "a integer not null default 3 check(a <> 4) unique, b text not null default ''",
];

interface Schema {
  readonly columns: readonly { name: string; type: string; constraints?: readonly string[] }[];
  readonly table_constraints?: readonly string[];
}

/** In the form of the reference's answer: empty lists are absent. */
function schemaOf(ddl: Ddl, types: readonly string[]): Schema {
  return {
    columns: ddl.columns.map((column, i) => ({
      name: column.written,
      type: types[i] ?? '',
      ...(column.constraints.length > 0 ? { constraints: column.constraints } : {}),
    })),
    ...(ddl.tableConstraints.length > 0 ? { table_constraints: ddl.tableConstraints } : {}),
  };
}

let reference: Reference | undefined;
test.before(async () => {
  if (referenceBinary() === undefined) return;
  reference = await startReference({
    seed: (database) => {
      const register = database.prepare(
        "insert into registry(id,structure,controller,prefix,chain_id,created_at) values (?,'s','0x1','t',31337,1)",
      );
      TABLES.forEach((columns, i) => {
        database.exec(`create table t_31337_${i + 1} (${columns}) strict`);
        register.run(i + 1);
      });
    },
  });
});
test.after(() => reference?.stop());

test('constraints are written as the reference writes them', async () => {
  if (reference === undefined) return tellSkipped();
  let compared = 0;
  for (const [i, columns] of TABLES.entries()) {
    const answer = await fetch(`${reference.url}/tables/31337/${i + 1}`);
    const body = (await answer.json()) as { schema?: Schema };
    if (answer.status !== 200 || body.schema === undefined) continue;
    compared++;
    const ddl = readDdl(`create table t_31337_${i + 1} (${columns}) strict`);
    assert.equal(
      schemaOf(
        ddl,
        body.schema.columns.map(({ type }) => type),
      ),
      body.schema,
      columns,
    );
  }
  assert.ok(compared > 35, `the reference answered only ${compared} of ${TABLES.length}`);
});

test('what the reference has no grammar for is still told', () => {
  const ddl = readDdl(`CREATE TABLE IF NOT EXISTS "t(1" (  -- a comment, with (
    "sel ect" int, /* , */ a TEXT COLLATE NoCase default CURRENT_TIMESTAMP,
    b int REFERENCES o (x, y) ON DELETE SET NULL ON UPDATE CASCADE NOT DEFERRABLE NOT NULL ON CONFLICT IGNORE,
    c varchar(10, 2) DEFAULT 1.50 check(b <> 1.5 and "sel ect" > 'it''s'), FOREIGN KEY (a) REFERENCES o(b) on delete cascade,
    d, e int null
  ) strict, without rowid`);
  assert.equal(ddl.columns, [
    { name: 'sel ect', written: '"sel ect"', type: 'int', constraints: [], collation: undefined },
    {
      name: 'a',
      written: 'a',
      type: 'text',
      constraints: ['collate NoCase', 'default current_timestamp'],
      collation: 'nocase',
    },
    {
      name: 'b',
      written: 'b',
      type: 'int',
      constraints: [
        'references o(x,y)on delete set null on update cascade not deferrable',
        'not null on conflict ignore',
      ],
      collation: undefined,
    },
    {
      name: 'c',
      written: 'c',
      type: 'varchar ( 10 , 2 )',
      constraints: ['default 1.50', "check(b!=1.5 and \"sel ect\">'it''s')"],
      collation: undefined,
    },
    { name: 'd', written: 'd', type: '', constraints: [], collation: undefined },
    { name: 'e', written: 'e', type: 'int', constraints: [], collation: undefined },
  ]);
  assert.equal(ddl.tableConstraints, ['foreign key(a)references o(b)on delete cascade']);
});

test('text that is no CREATE TABLE gives no columns and no error', () => {
  for (const sql of [
    '',
    'create table t',
    'create table t as select 1',
    '(((',
    'create table t (a int check(',
  ]) {
    assert.type(readDdl(sql).columns.length, 'number');
  }
});

function tellSkipped(): void {
  process.stdout.write(`  skipped: the reference has no program for ${process.platform}-${process.arch}\n`);
}

test.run();
