// The five operations as API.md has them, on a whole gateway: forms of an answer, headers, tags, methods.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { CHAIN, HASHES, TABLES } from '../support/tables.ts';

const test = suite<{ gateway: TestGateway }>('routes/operations');

test.before(async (context) => {
  context.gateway = await startTestGateway({ tables: TABLES });
});
test.after(({ gateway }) => gateway.stop());

const T = `tokens_${CHAIN}_1`;

async function body(answer: Response | Promise<Response>, status = 200): Promise<string> {
  const got = await answer;
  const text = await got.text();
  assert.is(got.status, status, text);
  return text;
}

test('version has the six members of the specification, none of them empty', async ({ gateway }) => {
  const version = JSON.parse(await body(fetch(`${gateway.url}/version`))) as Record<string, string>;
  assert.equal(Object.keys(version), [
    'git_commit',
    'git_branch',
    'git_state',
    'git_summary',
    'build_date',
    'binary_version',
  ]);
  for (const value of Object.values(version)) assert.ok(typeof value === 'string' && value !== '');
});

test('health is 200 with an empty body', async ({ gateway }) => {
  assert.is(await body(fetch(`${gateway.url}/health`)), '');
});

test('every combination of format, extract, unwrap, rows and columns has its form, by GET and by POST', async ({
  gateway,
}) => {
  const rows = { none: 'id > 99', one: 'id = 1', more: 'id < 3' };
  const columns = { one: 'name', two: 'id, name' };
  const cell = { 'one/1': '{"name":"ada"}', 'two/1': '{"id":1,"name":"ada"}' };
  const expected = (
    format: string,
    extract: boolean,
    unwrap: boolean,
    many: keyof typeof rows,
    wide: keyof typeof columns,
  ): [number, string, string | null] => {
    const count = { none: 0, one: 1, more: 2 }[many];
    const objects = [
      wide === 'one' ? cell['one/1'] : cell['two/1'],
      wide === 'one' ? '{"name":"bob"}' : '{"id":2,"name":"bob"}',
    ].slice(0, count);
    if (format === 'table') {
      const head = wide === 'one' ? '{"name":"name"}' : '{"name":"id"},{"name":"name"}';
      const lists = (wide === 'one' ? ['["ada"]', '["bob"]'] : ['[1,"ada"]', '[2,"bob"]']).slice(0, count);
      return [200, `{"columns":[${head}],"rows":[${lists.join(',')}]}`, 'application/json'];
    }
    // As the reference: it is the first row that cannot be extracted.
    if (extract && wide === 'two' && count > 0) return [400, '', 'application/json'];
    const values = extract ? ['"ada"', '"bob"'].slice(0, count) : objects;
    if (!unwrap) return [200, `[${values.join(',')}]`, 'application/json'];
    if (count === 0) return [404, '', null];
    return [200, values.join('\n'), count === 1 ? 'application/json' : 'application/jsonl+json'];
  };
  let seen = 0;
  for (const format of ['objects', 'table'])
    for (const extract of [false, true])
      for (const unwrap of [false, true])
        for (const many of ['none', 'one', 'more'] as const)
          for (const wide of ['one', 'two'] as const) {
            const statement = `select ${columns[wide]} from ${T} where ${rows[many]} order by id`;
            const [status, text, type] = expected(format, extract, unwrap, many, wide);
            const what = `${format} ${extract} ${unwrap} ${many} rows ${wide} columns`;
            const asked = { format, extract: String(extract), unwrap: String(unwrap) };
            for (const answer of [
              await gateway.query(statement, asked),
              await gateway.post({ statement, format, extract, unwrap }),
            ]) {
              assert.is(answer.status, status, what);
              assert.is(answer.headers.get('content-type'), type, what);
              const got = await answer.text();
              if (status !== 400) assert.is(got, text, what);
              seen++;
            }
          }
  assert.is(seen, 96);
});

test('cells: NULL, whole numbers to the digit, texts, JSON texts embedded, blobs in base64', async ({
  gateway,
}) => {
  const text = await body(gateway.query(`select * from ${T} order by id`, { format: 'table' }));
  assert.is(
    text,
    '{"columns":[{"name":"id"},{"name":"name"},{"name":"level"},{"name":"picture"}],' +
      '"rows":[[1,"ada",3,"AP8="],[2,"bob",1,null],[3,{"nick": "cy"},9007199254740993,null]]}'.replace(
        '": "',
        text.includes('": "') ? '": "' : '":"',
      ),
  );
});

test('the ERC-721 composition: json_object, extract and unwrap give one bare object', async ({ gateway }) => {
  const statement = `select json_object('name', name, 'level', level) as meta from ${T} where id = 1`;
  const answer = await gateway.query(statement, { extract: 'true', unwrap: 'true' });
  assert.equal(await answer.json(), { name: 'ada', level: 3 });
  const none = await gateway.query(statement.replace('= 1', '= 99'), { extract: 'true', unwrap: 'true' });
  assert.is(none.status, 404);
  assert.is(await none.text(), '');
});

test('booleans of a query string are those of the reference', async ({ gateway }) => {
  const statement = `select name from ${T} where id = 1`;
  for (const yes of ['1', 't', 'T', 'TRUE', 'true', 'True'])
    assert.is(await body(gateway.query(statement, { extract: yes, unwrap: yes })), '"ada"', yes);
  for (const no of ['0', 'f', 'F', 'FALSE', 'false', 'False', ''])
    assert.is(
      await body(gateway.query(statement, { extract: no, unwrap: no, format: '' })),
      '[{"name":"ada"}]',
      no,
    );
});

test('params are bound by GET and by POST, never pasted', async ({ gateway }) => {
  const statement = `select id from ${T} where name = ? or id = ? order by id`;
  assert.is(await body(gateway.query(statement, { params: ["'bob'", '1'] })), '[{"id":1},{"id":2}]');
  assert.is(await body(gateway.post({ statement, params: ['bob', 1] })), '[{"id":1},{"id":2}]');
  const evil = "x' or '1'='1";
  assert.is(await body(gateway.post({ statement, params: [evil, null] })), '[]');
  assert.is(await body(gateway.query(statement, { params: [`"${evil}"`, 'null'] })), '[]');
  const exact = `{"statement":"select id from ${T} where level = ?","params":[9007199254740993]}`;
  assert.is(await body(gateway.post(exact)), '[{"id":3}]');
  assert.is(await body(gateway.post(exact.replace('993]', '992]'))), '[]');
});

test('members of a POST are found whatever their case, null is absent, unknown ones are ignored', async ({
  gateway,
}) => {
  const statement = `select name from ${T} where id = 1`;
  assert.is(await body(gateway.post({ Statement: statement, UNWRAP: true })), '{"name":"ada"}');
  const nulls = { statement, format: null, extract: null, unwrap: null, params: null, more: [1] };
  assert.is(await body(gateway.post(nulls)), '[{"name":"ada"}]');
  const untyped = await fetch(`${gateway.url}/query`, {
    method: 'POST',
    body: new Blob([JSON.stringify({ statement })]),
  });
  assert.is(untyped.status, 200, 'no content type is taken for JSON');
});

test('of a repeated parameter the first counts', async ({ gateway }) => {
  const statement = encodeURIComponent(`select id from ${T} where id = 1`);
  const search = `statement=${statement}&statement=select+2&format=objects&format=nonsense`;
  assert.is(await body(fetch(`${gateway.url}/query?${search}`)), '[{"id":1}]');
});

test('an answer carries a tag, and whoever has it is told so without a run', async ({ gateway }) => {
  const statement = `select name from ${T} where id = 1`;
  for (const path of [`/query?statement=${encodeURIComponent(statement)}`, `/tables/${CHAIN}/1`]) {
    const first = await fetch(gateway.url + path);
    await first.arrayBuffer();
    const tag = first.headers.get('etag') ?? '';
    assert.match(tag, /^W\/"[\w-]{20,}"$/);
    const again = await fetch(gateway.url + path, { headers: { 'if-none-match': tag } });
    assert.is(again.status, 304);
    assert.is(again.headers.get('etag'), tag);
    assert.is(again.headers.get('access-control-allow-origin'), '*');
    assert.is(await again.text(), '');
    const other = await fetch(gateway.url + path, { headers: { 'if-none-match': 'W/"other"' } });
    assert.is(other.status, 200);
    await other.arrayBuffer();
  }
});

test('tags differ by statement, literal, param and form', async ({ gateway }) => {
  const tags = new Set<string | null>();
  const add = async (answer: Promise<Response>): Promise<void> => {
    const got = await answer;
    assert.is(got.status, 200, await got.text());
    tags.add(got.headers.get('etag'));
  };
  await add(gateway.query(`select id from ${T} where id = 1`));
  await add(gateway.query(`select id from ${T} where id = 2`));
  await add(gateway.query(`select id from ${T} where id = '2'`));
  await add(gateway.query(`select name from ${T} where id = 1`));
  await add(gateway.query(`select id from ${T} where id = 1`, { format: 'table' }));
  await add(gateway.query(`select id from ${T} where id = 1`, { unwrap: '1' }));
  await add(gateway.query(`select id from ${T} where id = 1`, { extract: '1' }));
  assert.is(tags.size, 7);
  await add(gateway.query(`select id from ${T} where id = ?`, { params: '1' }));
  assert.is(tags.size, 7, 'a bound value is as good as a written one');
  await add(gateway.query(`select   id from ${T} where id=1 -- note`));
  assert.is(tags.size, 7, 'spaces and comments are nothing');
});

test('an answer that depends on more than the snapshot has no tag', async ({ gateway }) => {
  const answer = await gateway.query('select random() as r');
  assert.is(answer.status, 200, await answer.text());
  assert.is(answer.headers.get('etag'), null);
});

test('HEAD is GET without the body', async ({ gateway }) => {
  for (const path of [
    '/version',
    '/health',
    `/query?statement=select+id+from+${T}`,
    `/tables/${CHAIN}/1`,
    '/nothing',
  ]) {
    const get = await fetch(gateway.url + path);
    const text = await get.text();
    const head = await fetch(gateway.url + path, { method: 'HEAD' });
    assert.is(head.status, get.status, path);
    assert.is(head.headers.get('content-length'), String(Buffer.byteLength(text)), path);
    assert.is(head.headers.get('etag'), get.headers.get('etag'), path);
    assert.is(await head.text(), '');
  }
});

test('methods that a path does not take are 405 with Allow, unknown paths 404, OPTIONS 204', async ({
  gateway,
}) => {
  for (const [path, allow] of [
    ['/version', 'GET, HEAD, OPTIONS'],
    ['/health', 'GET, HEAD, OPTIONS'],
    ['/query', 'GET, POST, HEAD, OPTIONS'],
    [`/tables/${CHAIN}/1`, 'GET, HEAD, OPTIONS'],
    [`/receipt/${CHAIN}/${HASHES.done}`, 'GET, HEAD, OPTIONS'],
  ] as const) {
    const wrong = await fetch(gateway.url + path, { method: 'DELETE' });
    assert.is(wrong.status, 405, path);
    assert.is(wrong.headers.get('allow'), allow);
    const asked = await fetch(gateway.url + path, { method: 'OPTIONS' });
    assert.equal([asked.status, asked.headers.get('allow')], [204, allow]);
  }
  for (const path of ['//', `/tables/${CHAIN}`, `/tables/${CHAIN}/1/`, '/version/', '/Version'])
    assert.is((await fetch(gateway.url + path)).status, 404, path);
  assert.is((await fetch(`${gateway.origin}/nowhere`)).status, 404);
});

test('a table shows name, links, creation and constraints', async ({ gateway }) => {
  const table = JSON.parse(await body(fetch(`${gateway.url}/tables/${CHAIN}/1`)));
  assert.equal(table, {
    name: T,
    external_url: `${gateway.url}/tables/${CHAIN}/1`,
    animation_url: `${gateway.url}/tables/${CHAIN}/1.html`,
    image: `${gateway.url}/tables/${CHAIN}/1.svg`,
    attributes: [{ display_type: 'date', trait_type: 'created', value: 1_700_000_000 }],
    schema: {
      columns: [
        { name: 'id', type: 'integer', constraints: ['primary key autoincrement'] },
        { name: 'name', type: 'text', constraints: ['not null', 'unique'] },
        { name: 'level', type: 'int', constraints: ['check(level>0)'] },
        { name: 'picture', type: 'blob' },
      ],
      table_constraints: ['check(id<1000)'],
    },
  });
});

test('a receipt shows what became of a transaction; an unknown one is 404 with an empty body', async ({
  gateway,
}) => {
  const at = (hash: string): Promise<Response> => fetch(`${gateway.url}/receipt/${CHAIN}/${hash}`);
  assert.equal(JSON.parse(await body(at(HASHES.done))), {
    table_id: '1',
    table_ids: ['1', '2'],
    transaction_hash: HASHES.done,
    block_number: 10,
    chain_id: CHAIN,
  });
  assert.equal(JSON.parse(await body(at(HASHES.failed))), {
    transaction_hash: HASHES.failed,
    block_number: 11,
    chain_id: CHAIN,
    error: 'boom',
    error_event_idx: 2,
  });
  const upper = HASHES.done.toUpperCase();
  assert.is(JSON.parse(await body(at(upper))).transaction_hash, upper);
  assert.is(JSON.parse(await body(at(HASHES.done.slice(2)))).block_number, 10);
  assert.is(await body(at(HASHES.unknown), 404), '');
});

test('answers past a limit of the settings are errors that name it, never cut off', async () => {
  const gateway = await startTestGateway({
    tables: TABLES,
    args: ['--max-result-rows', '2', '--deadline-ms', '300'],
  });
  try {
    const rows = await gateway.query(`select id from ${T}`);
    assert.is(rows.status, 400);
    assert.is(((await rows.json()) as { code: string }).code, 'limit-rows');
    const ask = (): Promise<Response> =>
      gateway.query(
        'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n where i < 0',
      );
    let slow = await ask();
    // Where others fill the machine its time may pass before it is begun: busy, not too long.
    for (let tries = 0; slow.status === 503 && tries < 50; tries++) slow = await ask();
    assert.is(slow.status, 400);
    assert.is(((await slow.json()) as { code: string }).code, 'limit-time');
    assert.is((await gateway.query(`select id from ${T} where id = 1`)).status, 200);
  } finally {
    await gateway.stop();
  }
});

test('chains of the settings are served besides those of the snapshot; links follow the settings', async () => {
  const gateway = await startTestGateway({
    tables: TABLES,
    args: [
      '--chains',
      '1,5',
      '--external-uri-prefix',
      'https://tables.example/',
      '--animation-renderer-uri',
      'https://r.example',
    ],
  });
  try {
    assert.is((await fetch(`${gateway.url}/tables/5/1`)).status, 404);
    assert.is((await fetch(`${gateway.url}/tables/6/1`)).status, 400);
    const table = JSON.parse(await body(fetch(`${gateway.url}/tables/${CHAIN}/1`)));
    assert.is(table.external_url, `https://tables.example/api/v1/tables/${CHAIN}/1`);
    assert.is(table.animation_url, `https://r.example/${CHAIN}/1.html`);
  } finally {
    await gateway.stop();
  }
});

test('the token bucket counts queries, tables and receipts together, and not version and health', async () => {
  const gateway = await startTestGateway({
    tables: TABLES,
    args: ['--rate-limit', '1', '--rate-burst', '3', '--api-keys', 'k1 k2'],
  });
  try {
    for (let i = 0; i < 20; i++) {
      assert.is((await fetch(`${gateway.url}/version`)).status, 200);
      assert.is((await fetch(`${gateway.url}/health`)).status, 200);
    }
    // Sent at once: a slow machine must not refill the bucket in between.
    const paths = [
      ...Array<string>(10).fill(`/tables/${CHAIN}/1`),
      ...Array<string>(10).fill(`/receipt/${CHAIN}/${HASHES.done}`),
      ...Array<string>(10).fill(`/query?statement=select+id+from+${T}`),
    ];
    const answers = await Promise.all(paths.map((path) => fetch(gateway.url + path)));
    const refused = answers.filter((answer) => answer.status === 429);
    assert.ok(refused.length >= 20 && refused.length <= 27, `${refused.length} of 30 refused`);
    const keyed = await Promise.all(
      paths.map((path) => fetch(gateway.url + path, { headers: { 'api-key': 'k2' } })),
    );
    assert.ok(keyed.every((answer) => answer.status === 200));
    const forged = await Promise.all(
      paths.map((path, i) => fetch(gateway.url + path, { headers: { 'x-forwarded-for': `8.8.8.${i}` } })),
    );
    const turnedAway = forged.filter(({ status }) => status === 429).length;
    assert.ok(turnedAway >= 20, `a forged address gets no bucket of its own: ${turnedAway} of 30 refused`);
  } finally {
    await gateway.stop();
  }
});

test.run();
