// The bench on somebody's own gateways: statements with weights, an access log, a key, two side by side, the report, and
// what the machine did meanwhile; and what it refuses.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { customWorkload, readAccessLog } from '../../bench/load/custom.ts';
import { KEY_VARIABLE, keyHeaders } from '../../bench/load/http-client.ts';
import { addressText, rateTable } from '../../bench/load/print.ts';
import { busyWith } from '../../bench/load/usage.ts';
import { hasWrk, NO_WRK } from '../../bench/load/wrk.ts';
import { reportPage } from '../../bench/report/page.ts';
import { neededSuite } from '../support/needed.ts';
import { ownBenchFolder, quickBench, ROOT, startGateway } from './support.ts';

const test = neededSuite('bench/own', 'wrk', hasWrk() ? undefined : NO_WRK);
const folder = mkdtempSync(join(tmpdir(), 'tablegate-own-bench-'));
const removeFolder = ownBenchFolder();
test.after(() => {
  removeFolder();
  rmSync(folder, { recursive: true, force: true });
});

/** Answers those that have the key, and counts what it is asked. */
async function gatewayWithKey(): Promise<{ readonly url: string; readonly asked: string[]; close(): void }> {
  const asked: string[] = [];
  const { url, close } = await startGateway((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('statement') ?? request.url ?? '');
    response.statusCode = request.headers['api-key'] === 'sesame' ? 200 : 401;
    response.end('[{"id":1}]');
  });
  return { url, asked, close };
}

test('statements are asked by their weights, with a key, on two gateways in turn, and the report draws both', async () => {
  const [one, two] = [await gatewayWithKey(), await gatewayWithKey()];
  const own = {
    statements: [
      { text: 'often {new}', weight: 9 },
      { text: 'seldom {int:3:5}', weight: 1 },
    ],
    gateways: 2,
  } as const;
  process.env[KEY_VARIABLE] = 'sesame';
  try {
    const lines = await quickBench([], {
      url: one.url,
      url2: two.url,
      template: own,
      workloads: [customWorkload(own, [1])],
    });
    assert.equal([...new Set(lines.map(({ target }) => target))].sort(), ['url', 'url2']);
    for (const { asked } of [one, two]) {
      const seldom = asked.filter((text) => /^seldom [3-5]$/.test(text)).length;
      const often = asked.filter((text) => /^often \d+$/.test(text)).length;
      assert.ok(often > 50, `${often}`);
      assert.ok(seldom > 0 && seldom < often / 3, `${seldom} of ${often}`);
    }
    for (const { surroundings } of lines)
      for (const value of Object.values(surroundings ?? {})) assert.ok(value >= 0 && Number.isFinite(value));
    // Of processes that somebody else started, no processor time and no memory is known: none is not 0.
    for (const { target, address, processorUs, memory } of lines) {
      assert.is(address, `${target === 'url' ? one.url : two.url}/api/v1`);
      assert.is(processorUs, undefined);
      assert.equal(memory, []);
    }
    assert.not.match(rateTable(lines), /(?<![\d.])0 us/);
    assert.match(addressText(lines), `url2 is ${two.url}/api/v1`);
    assert.match(addressText(lines), /url2 to url +answers\/s +p50 +p99\nclosed 1 +[\d.]+ x/);
    const page = reportPage(
      lines.map((line) => ({ ...line, busyBefore: 'machine busy: do not trust (load average 9.0)' })),
      [],
    );
    assert.match(page, `url2: ${two.url}/api/v1`);
    assert.match(page, 'url2 to url');
    assert.match(page, 'Machine busy: do not trust (load average 9.0)');
    assert.not.match(page, 'resident memory');
    assert.match(page, 'id="custom"');
    assert.match(page, '90 %: often {new}');
    assert.ok((page.match(/<svg/g) ?? []).length >= 1);
    assert.match(reportPage(lines, []), 'load average');
    assert.not.match(page, /NaN|undefined|sesame/);
    process.env[KEY_VARIABLE] = 'wrong';
    const wrong = quickBench([], {
      url: one.url,
      template: 'select 1',
      workloads: [customWorkload('select 1', [1])],
    });
    assert.match(await wrong.then(() => 'taken', String), /url, custom: status 401/);
    process.env[KEY_VARIABLE] = 'a\r\nX: y';
    assert.throws(keyHeaders, /no value of a header/);
  } finally {
    delete process.env[KEY_VARIABLE];
    one.close();
    two.close();
  }
});

test('a gateway that refuses is quoted, and one that limits its clients is told of', async () => {
  let left = 3;
  const { url, close } = await startGateway((_, response) => {
    response.statusCode = left-- > 0 ? 200 : 429;
    response.end(left >= 0 ? '[{"id":1}]' : '{"message":"too many","code":"rate-limited"}');
  });
  const run = (text: string): Promise<string> =>
    quickBench([], { url, template: text, workloads: [customWorkload(text, [1])] }).then(
      () => 'taken',
      String,
    );
  try {
    const late = await run('select 1');
    assert.match(late, /now status 429: .*rate-limited.*--rate-limit 0/);
    assert.match(await run('select 1'), /^Error: url, custom: status 429: .*--rate-limit 0/);
  } finally {
    close();
  }
});

test('a log is replayed as far as its lines are reads that were answered', () => {
  const file = join(folder, 'access.log');
  writeFileSync(
    file,
    `1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] "GET /api/v1/query?statement=select+1 HTTP/1.1" 200 12 "-" "curl"
::1 - - [x] "GET /api/v1/tables/31337/2 HTTP/2.0" 200 12
::1 - - [x] "GET /api/v1/query?statement=selct HTTP/1.1" 400 12
::1 - - [x] "POST /api/v1/query HTTP/1.1" 200 12
::1 - - [x] "GET /favicon.ico HTTP/1.1" 200 12
::1 - - [x] "GET /api/v1/query?format=csv&statement=select+1 HTTP/1.1" 200 12
::1 - - [x] "GET /api/v1/query?statement=a\\x22 b HTTP/1.1" 200 12
/base/query?statement=select+2
https://gateway.example/api/v1/tables?limit=2

`,
  );
  assert.equal(readAccessLog(file), {
    paths: ['/query?statement=select+1', '/tables/31337/2', '/query?statement=select+2', '/tables?limit=2'],
    left: 5,
  });
  const asks = customWorkload({ statements: [], ...readAccessLog(file) }).asks({} as never, {
    seed: 1,
    index: 0,
    of: 1,
  });
  assert.equal([asks().path, asks().path], ['/query?statement=select+1', '/tables/31337/2']);
  writeFileSync(file, 'nothing of use\n');
  assert.throws(() => readAccessLog(file), /no line of it is a GET/);
});

test('a figure of a busy machine is not to be trusted', () => {
  const quiet = { othersCores: 0.1, pressurePercent: 5, stealPercent: 0, loadAverage: 1 };
  assert.is(busyWith(quiet, 'tablegate'), undefined);
  assert.match(busyWith({ ...quiet, othersCores: 1.5 }, 'tablegate') ?? '', 'others used 1.5 cores');
  assert.match(busyWith({ ...quiet, stealPercent: 12 }, 'url') ?? '', 'the host took 12 %');
  assert.is(busyWith({ ...quiet, othersCores: 1.5 }, 'url'), undefined, 'it may be the target itself');
});

test('a command line that makes no sense is refused in a line, before anything starts', () => {
  const refusal = (...args: readonly string[]): string => {
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'bench/run.ts', ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.is(status, 1, stderr);
    return stderr;
  };
  const url = ['--target', 'http://127.0.0.1:1'];
  assert.match(refusal('--statement', 'select 1'), 'need --target URL');
  assert.match(refusal('--preset', 'constructor'), '--preset must be quick, full or peers');
  assert.match(refusal(...url, ...url, ...url), 'twice, not more often');
  assert.match(
    refusal(...url, '--statement', 'a', '--statement', 'b', '--weights', '1'),
    '--weights must be 2 numbers',
  );
  assert.match(refusal(...url, '--statement', 'a', '--weights', '0'), '--weights must be 1 numbers');
  assert.match(refusal(...url, '--log', join(folder, 'none.log')), 'there is no file');
  const own = [...url, '--statement', 'a'];
  assert.match(
    refusal('--target', 'nonsense', '--statement', 'a'),
    '--target must be an address such as http',
  );
  assert.match(refusal('--target', 'https://x.example', '--statement', 'a'), '--target must be an address');
  assert.match(refusal(...own, '--connections', '1,a'), '--connections must be whole numbers');
  assert.match(refusal(...own, '--rounds', 'x'), '--rounds must be a number from 1, not "x"');
  assert.match(refusal(...own, '--seconds', ''), '--seconds must be a number');
  assert.match(refusal(...own, '--extras', 'some'), '--extras must be one of none, first, all');
  assert.match(refusal('--targets', 'tablegat'), '--targets must be one of tablegate');
  const unknown = refusal('--bogus');
  assert.match(unknown, "Unknown option '--bogus'; --help lists the options");
  assert.is(unknown.trim().split('\n').length, 1);
  assert.match(refusal(...url, '--api-key', 'a b', '--statement', 'a'), 'no value of a header');
});

test.run();
