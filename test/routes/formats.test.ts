// Formats asked for by Accept, through a whole gateway: what is answered, under which name, cached how.
import { tableFromIPC } from 'apache-arrow';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { readParquet } from '../support/parquet.ts';
import type { TestTable } from '../support/snapshot.ts';
import { TABLES } from '../support/tables.ts';

const ROWS = 200_000;
const LARGE: TestTable = {
  name: 'large_31337_9',
  columns: [
    { name: 'n', type: 'integer' },
    { name: 't', type: 'text' },
  ],
  select: `SELECT i, 'row ' || i FROM range(${ROWS}) r(i)`,
};
const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const ARROW = 'application/vnd.apache.arrow.stream';
const PARQUET = 'application/vnd.apache.parquet';

let gateway: TestGateway;
test.before(async () => {
  gateway = await startTestGateway({ tables: [...TABLES, LARGE] });
});
test.after(() => gateway.stop());

interface Asked {
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [parameter: string]: unknown;
}
function ask(statement: string, { accept, headers = {}, ...parameters }: Asked = {}): Promise<Response> {
  const search = new URLSearchParams({ statement, ...(parameters as Record<string, string>) });
  const accepted: Readonly<Record<string, string>> = accept === undefined ? {} : { accept };
  return fetch(`${gateway.url}/query?${search}`, { headers: { ...accepted, ...headers } });
}
async function code(response: Response): Promise<string> {
  assert.is(response.headers.get('content-type'), 'application/json');
  return `${response.status} ${((await response.json()) as { code: string }).code}`;
}
const TOKENS = 'select id, name, level from tokens_31337_1 order by id';

test('answers in the format that Accept asks for, named by its media type and a file name', async () => {
  const lines = await ask(TOKENS, { accept: NDJSON });
  assert.is(lines.headers.get('content-type'), NDJSON);
  assert.is(lines.headers.get('content-disposition'), 'attachment; filename="tokens_31337_1.ndjson"');
  assert.is(
    await lines.text(),
    '{"id":1,"level":3,"name":"ada"}\n{"id":2,"level":1,"name":"bob"}\n' +
      '{"id":3,"level":9007199254740993,"name":{"nick":"cy"}}\n',
  );
  const csv = await ask(TOKENS, { accept: CSV });
  assert.is(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.is(
    await csv.text(),
    'id,name,level\r\n1,ada,3\r\n2,bob,1\r\n3,"{""nick"": ""cy""}",9007199254740993\r\n',
  );
  const arrow = await ask(TOKENS, { accept: ARROW });
  assert.is(arrow.headers.get('content-type'), ARROW);
  const table = tableFromIPC(await arrow.arrayBuffer());
  assert.equal([...(table.getChild('level') ?? [])], [3n, 1n, 9_007_199_254_740_993n]);
  const parquet = await ask(TOKENS, { accept: PARQUET });
  assert.is(parquet.headers.get('content-disposition'), 'attachment; filename="tokens_31337_1.parquet"');
  const { rows } = await readParquet(new Uint8Array(await parquet.arrayBuffer()));
  assert.equal(rows[0], { id: '1', name: 'ada', level: '3' });
});

test('answers POST by Accept too', async () => {
  const headers = { 'content-type': 'application/json', accept: CSV };
  assert.is(await (await gateway.post({ statement: 'select 1 as a' }, headers)).text(), 'a\r\n1\r\n');
  const chosen = await gateway.post({ statement: 'select 1 as a', format: 'table' }, headers);
  assert.is(await chosen.text(), '{"columns":[{"name":"a"}],"rows":[[1]]}');
});

test('answers a plain address in the format that it names, as by Accept, for GET and POST', async () => {
  for (const [format, accept] of [
    ['ndjson', NDJSON],
    ['csv', CSV],
    ['arrow', ARROW],
    ['parquet', PARQUET],
  ] as const) {
    const byAccept = await ask(TOKENS, { accept });
    const wanted = Buffer.from(await byAccept.arrayBuffer());
    const plain = [
      // As a browser sends it.
      await ask(TOKENS, { format, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }),
      await ask(TOKENS, { format, accept: 'application/json' }),
      await gateway.post({ statement: TOKENS, format }),
      await gateway.post({ statement: TOKENS, FORMAT: format }, { accept: PARQUET }),
    ];
    for (const answer of plain) {
      assert.is(answer.status, 200);
      for (const name of ['content-type', 'content-disposition', 'etag'])
        assert.is(answer.headers.get(name), byAccept.headers.get(name), `${format} ${name}`);
      assert.equal(Buffer.from(await answer.arrayBuffer()), wanted, format);
    }
  }
});

test('names the file after the first table, and by nothing that a statement can smuggle in', async () => {
  const named = async (statement: string): Promise<string> => {
    const answer = await ask(statement, { format: 'csv' });
    assert.is(answer.status, 200, `${statement}: ${await answer.clone().text()}`);
    return answer.headers.get('content-disposition') ?? '';
  };
  const file = (name: string): string => `attachment; filename="${name}"`;
  assert.is(await named(TOKENS), file('tokens_31337_1.csv'));
  assert.is(await named('SELECT id FROM Tokens_31337_1, empty_31337_2'), file('Tokens_31337_1.csv'));
  assert.is(await named('select * from (select id from tokens_31337_1) s'), file('tokens_31337_1.csv'));
  assert.is(await named('select 1 as a'), file('result.csv'));
  assert.is(await named(`select 'x from y' as a`), file('result.csv'));
  // JSON is shown, not saved.
  for (const format of ['objects', 'table', ''])
    assert.is((await ask(TOKENS, { format })).headers.get('content-disposition'), null);
  const from = (name: string): Promise<string> =>
    named(
      `with "${name.replaceAll('"', '""')}"(a) as (select 1) select a from "${name.replaceAll('"', '""')}"`,
    );
  assert.is(await from('../../etc/passwd'), file('_etc_passwd.csv'));
  assert.is(await from('a\r\nSet-Cookie: x=1'), file('a_Set-Cookie_x_1.csv'));
  assert.is(await from('a"; filename="b.exe'), file('a.csv'));
  assert.is(await from('x\u202egpj.exe'), file('x_gpj_exe.csv'));
  assert.is(await from('...'), file('result.csv'));
  assert.is(await from('-rf'), file('rf.csv'));
  assert.is(await from('a'.repeat(5_000)), file(`${'a'.repeat(60)}.csv`));
  assert.is(await from('straße'), `${file('stra_e.csv')}; filename*=UTF-8''stra%C3%9Fe.csv`);
  assert.is(await from('表'), `${file('result.csv')}; filename*=UTF-8''%E8%A1%A8.csv`);
});

test('refuses an unknown format in the words of the reference, and says in the hint what there is', async () => {
  const refusal = async (answer: Response): Promise<string> => {
    assert.is(answer.status, 400);
    const { message, code, hint } = (await answer.json()) as Record<string, string>;
    assert.equal(
      [message, code],
      ['Error parsing formatting params: bad output query parameter', 'bad-parameter'],
    );
    return hint ?? '';
  };
  const list = 'format must be one of objects, table, csv, ndjson, arrow, parquet, not';
  for (const [format, meant] of [
    ['json', ' Did you mean objects?'],
    ['CSV', ' Did you mean csv?'],
    ['parqet', ' Did you mean parquet?'],
    ['jsonl', ' Did you mean ndjson?'],
    ['constructor', ''],
    ['xyz', ''],
  ] as const) {
    const wanted = `${list} ${JSON.stringify(format)}.${meant}`;
    assert.is(await refusal(await ask('select 1', { format })), wanted);
    assert.is(await refusal(await gateway.post({ statement: 'select 1', format })), wanted);
  }
  const long = await refusal(await ask('select 1', { format: 'c'.repeat(10_000) }));
  assert.ok(long.length < 200, long);
});

test('refuses extract and unwrap with a format where a value alone has no place', async () => {
  for (const format of ['csv', 'arrow', 'parquet'])
    for (const option of ['extract', 'unwrap'])
      assert.is(await code(await ask('select 1 as a', { format, [option]: 'true' })), '400 bad-parameter');
  assert.is(await (await ask('select 1 as a', { format: 'ndjson', extract: 'true' })).text(), '1\n');
});

test('lets a given format win over Accept', async () => {
  for (const accept of [CSV, ARROW, 'text/html', 'nonsense'])
    for (const [format, body] of [
      ['objects', '[{"a":1}]'],
      ['table', '{"columns":[{"name":"a"}],"rows":[[1]]}'],
    ] as const) {
      const response = await ask('select 1 as a', { accept, format });
      assert.is(response.headers.get('content-type'), 'application/json');
      assert.is(await response.text(), body);
    }
});

test('answers JSON where Accept is as browsers and common clients send it', async () => {
  for (const accept of [
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'application/*;q=0.5',
    'text/csv;q=0.1, application/json',
  ])
    assert.is(await (await ask('select 1 as a', { accept })).text(), '[{"a":1}]', accept);
  const unwrapped = await ask('select id from tokens_31337_1 order by id', {
    accept: 'application/jsonl+json',
    unwrap: 'true',
  });
  assert.is(unwrapped.headers.get('content-type'), 'application/jsonl+json');
});

test('answers JSON where nothing that Accept names can be had', async () => {
  for (const accept of ['text/html, application/xml;q=0.5', 'text/csv;q=0', 'image/png', 'x']) {
    const answer = await ask(TOKENS, { accept });
    assert.equal([answer.status, answer.headers.get('content-type')], [200, 'application/json'], accept);
  }
});

test('takes extract and unwrap with NDJSON, and refuses them where a value alone has no place', async () => {
  const names = 'select id from tokens_31337_1 order by id';
  assert.is(await (await ask(names, { accept: NDJSON, extract: 'true' })).text(), '1\n2\n3\n');
  assert.is(
    await (await ask(names, { accept: NDJSON, extract: 'true', unwrap: 'true' })).text(),
    '1\n2\n3\n',
  );
  const none = await ask('select a from empty_31337_2', { accept: NDJSON, unwrap: 'true' });
  assert.equal([none.status, await none.text()], [404, '']);
  for (const accept of [CSV, ARROW, PARQUET])
    for (const option of ['extract', 'unwrap'])
      assert.is(await code(await ask(names, { accept, [option]: 'true' })), '400 bad-parameter');
});

test('answers no rows as an empty file of the right columns', async () => {
  const none = 'select a, b from empty_31337_2';
  assert.is(await (await ask(none, { accept: CSV })).text(), 'a,b\r\n');
  assert.is(await (await ask(none, { accept: NDJSON })).text(), '');
  const arrow = tableFromIPC(await (await ask(none, { accept: ARROW })).arrayBuffer());
  assert.equal([arrow.numRows, arrow.schema.names], [0, ['a', 'b']]);
  const parquet = await (await ask(none, { accept: PARQUET })).arrayBuffer();
  assert.equal((await readParquet(new Uint8Array(parquet))).types, { a: 'BIGINT', b: 'VARCHAR' });
});

test('refuses a column whose values are of several kinds in Arrow and Parquet, and takes it once it is cast', async () => {
  const mixed = `select iif(id = 3, json_extract(name, '$.nick'), id) as nick from tokens_31337_1 where id in (2, 3) order by id`;
  const cast = mixed.replace('iif(', 'cast(iif(').replace(', id) as', ', id) as text) as');
  for (const accept of [ARROW, PARQUET])
    assert.is(await code(await ask(mixed, { accept })), '400 mixed-column');
  assert.is(await (await ask(mixed, { accept: CSV })).text(), 'nick\r\n2\r\ncy\r\n');
  const arrow = tableFromIPC(await (await ask(cast, { accept: ARROW })).arrayBuffer());
  assert.equal([...(arrow.getChild('nick') ?? [])], ['2', 'cy']);
});

test('answers errors as JSON whatever Accept says', async () => {
  for (const accept of [NDJSON, CSV, ARROW, PARQUET])
    assert.is(await code(await ask('select nope from tokens_31337_1', { accept })), '400 unknown-column');
});

test('tags and caches each format by itself, and says that Accept decides', async () => {
  const tags = new Set<string>();
  const bodies = new Set<string>();
  const accepts = ['application/json', NDJSON, CSV, ARROW, PARQUET];
  for (let round = 0; round < 2; round++)
    for (const accept of accepts) {
      const response = await ask('select id, name from tokens_31337_1', { accept });
      const tag = response.headers.get('etag') ?? '';
      assert.match(response.headers.get('vary') ?? '', /\bAccept\b(?!-)/);
      if (round === 1) assert.is(response.headers.get('cache-status'), 'tablegate; hit');
      tags.add(tag);
      bodies.add(Buffer.from(await response.arrayBuffer()).toString('latin1'));
      const again = await ask('select id, name from tokens_31337_1', {
        accept,
        headers: { 'if-none-match': tag },
      });
      assert.is(again.status, 304);
      assert.match(again.headers.get('vary') ?? '', /\bAccept\b(?!-)/);
    }
  assert.is(tags.size, accepts.length);
  assert.is(bodies.size, accepts.length);
});

test('sends large answers in parts in every format, whole', async () => {
  const all = 'select n, t from large_31337_9 order by n';
  const ask200 = async (accept: string): Promise<Response> => {
    const response = await ask(all, { accept });
    assert.is(response.status, 200);
    // Parts, and no length that is known before.
    assert.is(response.headers.get('content-length'), null);
    return response;
  };
  // The first answer of a shape may be whole.
  await (await ask(all, { accept: 'application/json' })).arrayBuffer();
  const csv = (await (await ask200(CSV)).text()).split('\r\n');
  assert.equal([csv.length, csv[1], csv[ROWS]], [ROWS + 2, '0,row 0', `${ROWS - 1},row ${ROWS - 1}`]);
  const lines = (await (await ask200(NDJSON)).text()).split('\n');
  assert.equal([lines.length, lines[ROWS - 1]], [ROWS + 1, `{"n":${ROWS - 1},"t":"row ${ROWS - 1}"}`]);
  const arrow = tableFromIPC(await (await ask200(ARROW)).arrayBuffer());
  assert.equal([arrow.numRows, arrow.get(ROWS - 1)?.['t']], [ROWS, `row ${ROWS - 1}`]);
  const parquet = await readParquet(new Uint8Array(await (await ask200(PARQUET)).arrayBuffer()));
  assert.equal([parquet.rows.length, parquet.rows[ROWS - 1]?.['t']], [ROWS, `row ${ROWS - 1}`]);
  assert.ok(parquet.rowGroups > 1);
});

test.run();
