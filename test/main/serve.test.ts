// The program in a process of its own: command line, exit codes, signals, what goes to stdout and stderr, and
// data folders that cannot be served.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { optionName } from '../../src/cli/arguments.ts';
import { SETTINGS } from '../../src/cli/config.ts';
import { columnsPath } from '../../src/snapshot/layout.ts';
import { MAIN } from '../support/main.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { CHAIN, TABLES } from '../support/tables.ts';

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
interface Program {
  readonly child: ChildProcess;
  out: string;
  err: string;
  readonly ended: Promise<Ended>;
}

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  main: readonly string[] = [MAIN],
): Program {
  const child = spawn(process.execPath, [...main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Most of a start is the scan lane.
    env: { ...process.env, TABLEGATE_SCAN_WARM: 'off', ...env },
  });
  const program = { child, out: '', err: '' } as Program;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    program.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    program.err += text;
  });
  const ended = once(child, 'close').then(
    ([code]) => ({ code, out: program.out, err: program.err }) as Ended,
  );
  return Object.assign(program, { ended });
}

function run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
  return start(args, env).ended;
}

async function until<T>(value: () => T | undefined, what: string): Promise<T> {
  for (let i = 0; i < 3000; i++) {
    const found = value();
    if (found !== undefined) return found;
    await sleep(10);
  }
  throw new Error(`never: ${what}`);
}

async function address(program: Program): Promise<string> {
  return until(() => /^listening on (\S+)$/m.exec(program.out)?.[1], `listening; ${program.err}`);
}

const test = suite<{ folder: string; data: string }>('main/serve');

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-main-'));
  context.data = join(context.folder, 'good');
  await makeSnapshot(context.data, TABLES);
});
test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

/** Ends with code 2, nothing on stdout, and one line on stderr with these words. */
async function unusable(
  args: readonly string[],
  words: readonly (string | RegExp)[],
  env?: Record<string, string>,
): Promise<void> {
  const { code, out, err } = await run(args, { TABLEGATE_SCAN_WARM: 'on', ...env });
  assert.is(code, 2, `${args.join(' ')}: ${err}`);
  assert.is(out, '');
  const lines = err
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('tablegate: '));
  assert.is(lines.length, 1, err);
  assert.is(err.trimEnd().split('\n').at(-1), lines[0], 'the reason is the last line');
  for (const word of words) assert.match(lines[0] ?? '', word);
}

test('help goes to stdout and lists commands and settings, --help=all every setting', async () => {
  for (const args of [['--help'], ['-h'], ['help'], ['serve', '--help'], ['follow', '--help']]) {
    const { code, out, err } = await run(args);
    assert.is(code, 0);
    assert.is(err, '');
    for (const word of ['serve', 'import SOURCE', '--port', '--help=all']) assert.match(out, word);
    assert.ok(out.trimEnd().split('\n').length <= 40);
  }
  for (const args of [['--help=all'], ['help', 'all'], ['serve', '--help=all']]) {
    const { code, out } = await run(args);
    assert.is(code, 0);
    for (const name of Object.keys(SETTINGS)) assert.match(out, optionName(name));
  }
});

test('version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(MAIN, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  assert.equal(await run(['--version']), { code: 0, out: `${version}\n`, err: '' });
});

test('a missing or unknown command, option, variable or value ends with code 2 and a line that names it', async () => {
  await unusable([], ['a command is missing', 'serve']);
  await unusable(['sevre'], ['unknown command "sevre"; did you mean serve?']);
  await unusable(['imports', 'x'], ['did you mean import?']);
  await unusable(['import', 'x', '--tabel', 'y_1_1'], ['unknown option --tabel; did you mean --table?']);
  await unusable(['', 'x'], ['unknown command ""', 'serve, follow']);
  await unusable(['serve', '--prot', '1'], ['unknown option --prot']);
  await unusable(['serve', '--port', '99999'], ['--port must be', '"99999"']);
  await unusable(['serve', 'x'], ['unexpected argument "x"']);
  await unusable(['serve'], ['unknown variable TABLEGATE_PROT'], { TABLEGATE_PROT: '1' });
  await unusable(['serve'], ['TABLEGATE_PORT must be'], { TABLEGATE_PORT: 'x' });
});

test('a setting of the version before is taken, and the log says so', async ({ data }) => {
  const program = start(['serve', '--data', data, '--port', '0', '--gather', '8']);
  try {
    await address(program);
    await until(() => /--gather has no meaning any more/.exec(program.err)?.[0], 'the warning');
  } finally {
    program.child.kill('SIGTERM');
    await program.ended;
  }
});

test('serve --print-config shows every setting with value and origin, and serves nothing', async () => {
  const { code, out, err } = await run(['serve', '--print-config', '--rate-limit', '7'], {
    TABLEGATE_PORT: '0',
  });
  assert.is(code, 0);
  assert.is(err, '');
  assert.is(out.trimEnd().split('\n').length, Object.keys(SETTINGS).length);
  assert.match(out, /^--rate-limit +"7" +--rate-limit$/m);
  assert.match(out, /^--port +"0" +TABLEGATE_PORT$/m);
  assert.match(out, /^--host +"127.0.0.1" +default$/m);
});

test('serve prints its address alone to stdout, answers, and ends with 0 on SIGTERM and SIGINT', async ({
  data,
}) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const program = start(['serve', '--data', data, '--port', '0']);
    const url = await address(program);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    assert.is((await fetch(`${url}/health`)).status, 200);
    program.child.kill(signal);
    const { code, out, err } = await program.ended;
    assert.is(code, 0, err);
    assert.is(out, `listening on ${url}\n`);
    assert.match(err, 'serving snapshot 0');
  }
});

test('the sources run as they are, without a build', async ({ data }) => {
  const main = ['--import', 'tsx', join(MAIN, '..', '..', 'src', 'main.ts')];
  const program = start(['serve', '--data', data, '--port', '0'], {}, main);
  const url = await address(program);
  const answer = await fetch(`${url}/query?statement=${encodeURIComponent('select 1 as one')}`);
  assert.equal(await answer.json(), [{ one: 1 }]);
  program.child.kill('SIGTERM');
  assert.is((await program.ended).code, 0);
});

test('a request that runs at SIGTERM is answered, and new connections are refused', async ({ data }) => {
  const program = start([
    'serve',
    '--data',
    data,
    '--port',
    '0',
    '--deadline-ms',
    '1500',
    '--log-level',
    'debug',
  ]);
  const url = await address(program);
  const slow =
    'with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n where i < 0';
  const running = fetch(`${url}/query?statement=${encodeURIComponent(slow)}`);
  await sleep(300);
  program.child.kill('SIGTERM');
  await until(() => (program.err.includes('stopping') ? true : undefined), 'stopping');
  const refused = await fetch(`${url}/version`).then(
    () => false,
    () => true,
  );
  assert.ok(refused);
  const answer = await running;
  assert.is(answer.status, 400);
  assert.is(((await answer.json()) as { code: string }).code, 'limit-time');
  assert.is((await program.ended).code, 0);
});

test('no lane outlives the program, even where it is killed', async ({ data }) => {
  const program = start(['serve', '--data', data, '--port', '0']);
  await address(program);
  const lanes = await until(() => {
    const found = [...program.err.matchAll(/lane \w+ started in \d+ ms, pid (\d+)/g)].map((match) =>
      Number(match[1]),
    );
    return found.length >= 2 ? found : undefined;
  }, 'two lanes');
  program.child.kill('SIGKILL');
  await program.ended;
  for (const pid of lanes)
    await until(() => {
      try {
        process.kill(pid, 0);
        return undefined;
      } catch {
        return true;
      }
    }, `lane ${pid} is gone`);
});

test('a data folder that is missing, empty, half-written or damaged ends with code 2 and says what to do', async ({
  folder,
  data,
}) => {
  const serve = (name: string): readonly string[] => ['serve', '--data', join(folder, name), '--port', '0'];
  await unusable(serve('missing'), ['missing', 'tablegate import']);
  mkdirSync(join(folder, 'empty'));
  await unusable(serve('empty'), ['no snapshot', 'tablegate import']);
  mkdirSync(join(folder, 'building', 'snapshots'), { recursive: true });
  writeFileSync(join(folder, 'building', 'snapshots', '.building-1-abc'), 'half');
  await unusable(serve('building'), ['no snapshot', 'tablegate import']);

  const good = readdirSync(join(data, 'snapshots')).find((name) => /^\d/.test(name)) ?? '';
  const copy = (name: string): string => {
    mkdirSync(join(folder, name, 'snapshots'), { recursive: true });
    const path = join(folder, name, 'snapshots', good);
    cpSync(join(data, 'snapshots', good), path, { recursive: true });
    return columnsPath(path);
  };
  mkdirSync(join(folder, 'old', 'snapshots'), { recursive: true });
  writeFileSync(join(folder, 'old', 'snapshots', '000007-abcdef.duckdb'), 'of format 1');
  await unusable(serve('old'), ['000007-abcdef.duckdb', 'older format', 'tablegate import']);
  truncateSync(copy('half'), 5000);
  await unusable(serve('half'), [good, 'import']);
  truncateSync(copy('nothing'), 0);
  await unusable(serve('nothing'), [good]);
  writeFileSync(copy('text'), 'this is no database, but it is long enough to be read as one\n'.repeat(200));
  await unusable(serve('text'), [good]);
  const newer = copy('newer');
  const bytes = readFileSync(newer);
  bytes.writeBigUInt64LE(69n, 12);
  writeFileSync(newer, bytes);
  await unusable(serve('newer'), [good, /newer|version|DuckDB/]);
});

test('a port in use or not to be had ends with code 2 and says what to do', async ({ data }) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const taken = ['--port', String(port)];
  await unusable(['serve', '--data', data, ...taken], [`port ${port}`, 'in use', '--port']);
  await unusable(
    ['serve', '--data', data, '--port', '0', '--metrics-port', String(port)],
    ['in use', '--metrics-port'],
  );
  // Before the first import, which may take long, and before a lane is started.
  const fresh = join(data, 'fresh');
  const { code, err } = await run([
    'serve',
    '--data',
    fresh,
    '--follow',
    'data/samples/validator.db',
    ...taken,
  ]);
  assert.is(code, 2, err);
  assert.match(err, /^tablegate: port \d+ on 127\.0\.0\.1 is in use: [^\n]*\n$/);
  assert.not.ok(existsSync(fresh));
  server.close();
  await once(server, 'close');
  await unusable(
    ['serve', '--data', data, ...taken, '--metrics-port', String(port)],
    ['in use', '--metrics-port'],
  );
  await unusable(['serve', '--data', data, '--port', '0', '--host', '192.0.2.1'], ['192.0.2.1', '--host']);
});

test('the log is lines of JSON where that is asked for', async ({ data }) => {
  const program = start([
    'serve',
    '--data',
    data,
    '--port',
    '0',
    '--log-format',
    'json',
    '--log-level',
    'debug',
  ]);
  const url = await address(program);
  await (await fetch(`${url}/query?statement=select+id+from+tokens_${CHAIN}_1`)).arrayBuffer();
  await until(() => (program.err.includes('"request"') ? true : undefined), 'a request in the log');
  program.child.kill('SIGTERM');
  const { err } = await program.ended;
  const events = err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const request = events.find((event) => event['event'] === 'request');
  assert.is(request?.['status'], 200);
  assert.is(request?.['path'], '/api/v1/query');
});

test.run();
