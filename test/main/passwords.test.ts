// Which processes of a gateway have the passwords of the distributed engine in their environment, as the system shows it;
// and addresses that no password is sent to.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../lane/support.ts';
import { LONG, makeSource, startProcess, storeIn, tablegate } from '../publish/support.ts';
import { freePort } from '../support/nginx.ts';

const test = suite('main/passwords');
const root = mkdtempSync(join(tmpdir(), 'tablegate-passwords-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

const PASSWORDS = { TRINO_PASSWORD: 'of-the-reader', TRINO_LAKE_PASSWORD: 'of-the-publisher' };
const READER = 'TRINO_PASSWORD=of-the-reader';
const PUBLISHER = 'TRINO_LAKE_PASSWORD=of-the-publisher';

/** Where each process that Node.js starts leaves how it was started, and with what: some end at once. */
function recorder(name: string): { readonly env: Record<string, string>; readonly found: string } {
  const found = join(root, name);
  mkdirSync(found);
  const script = join(root, `${name}.mjs`);
  writeFileSync(
    script,
    `import { readFileSync, renameSync, writeFileSync } from 'node:fs';
     const path = ${JSON.stringify(found)} + '/' + process.pid;
     writeFileSync(path + '.part', process.argv.join(' ') + '\\0' + readFileSync('/proc/self/environ', 'utf8'));
     renameSync(path + '.part', path);`,
  );
  return { env: { ...PASSWORDS, NODE_OPTIONS: `--import=${pathToFileURL(script)}` }, found };
}

interface Started {
  readonly command: string;
  readonly passwords: readonly string[];
}

const startedOf = (texts: readonly string[]): readonly Started[] =>
  texts.map((text) => {
    const [command = '', ...variables] = text.split('\0');
    return { command, passwords: variables.filter((each) => /^\w*PASSWORD\w*=/.test(each)).sort() };
  });
const recorded = (found: string): readonly Started[] =>
  startedOf(
    readdirSync(found)
      .filter((name) => !name.endsWith('.part'))
      .map((name) => readFileSync(join(found, name), 'utf8')),
  );

/** Lanes are given no options of Node.js. One that has just ended is left out. */
function lanesOf(pid: number): readonly Started[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return startedOf(
    children.flatMap((child) => {
      try {
        const command = readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [`${command}\0${readFileSync(`/proc/${child}/environ`, 'utf8')}`];
      } catch {
        return [];
      }
    }),
  );
}

const of = (all: readonly Started[], command: RegExp): readonly (readonly string[])[] =>
  all.filter((each) => command.test(each.command)).map(({ passwords }) => passwords);

test('the remote lane and the publisher have each their own, and no other process has one', async () => {
  const { data, store } = storeIn(root, 'all');
  const lake = join(root, 'lake');
  mkdirSync(lake);
  const { env, found } = recorder('gateway');
  const trino = `http://127.0.0.1:${await freePort()}`;
  const gateway = startProcess(
    [
      ...[
        'serve',
        '--data',
        data,
        '--port',
        '0',
        '--fronts',
        '2',
        '--follow',
        makeSource(join(root, 's.db'), 10),
      ],
      ...['--publish', store, '--lake', lake, '--trino', trino],
    ],
    env,
  );
  try {
    const pid = gateway.child.pid ?? 0;
    let lanes: readonly Started[] = [];
    await until(() => {
      assert.is(gateway.child.exitCode, null, gateway.log);
      const all = recorded(found);
      lanes = lanesOf(pid);
      return (
        [/import-process\.js/, /main\.js publish /].every((each) => of(all, each).length > 0) &&
        [/rowstore\/main\.js/, /remote\/main\.js/].every((each) => of(lanes, each).length > 0) &&
        of(all, /fronts\/main\.js/).length === 2
      );
    }, LONG);
    const all = recorded(found);
    assert.equal(of(all, /main\.js serve /), [[PUBLISHER, READER]]);
    assert.equal(of(all, /import-process\.js/), [[]]);
    assert.equal(of(all, /main\.js publish /), [[PUBLISHER]]);
    assert.equal(of(all, /fronts\/main\.js/), [[], []]);
    assert.equal(of(lanes, /remote\/main\.js/), [[READER]]);
    assert.equal(of(lanes, /(rowstore|pool)\/main\.js/).flat(), []);
  } finally {
    await gateway.end('SIGTERM');
  }
});

test('a puller has neither', async () => {
  const { data, store } = storeIn(root, 'pulled');
  const { env, found } = recorder('replica');
  const replica = startProcess(['serve', '--data', data, '--port', '0', '--pull', store], env);
  try {
    await until(() => of(recorded(found), /main\.js pull/).length > 0, LONG);
    assert.equal(of(recorded(found), /main\.js pull/), [[]]);
  } finally {
    await replica.end('SIGTERM');
  }
});

test('a password and an address that a network would carry it to in clear end every command at its start', async () => {
  const { data, store } = storeIn(root, 'clear');
  const clear = ['--trino', 'http://trino.example:8080'];
  const lake = ['--lake', root];
  for (const [variable, args] of [
    ['TRINO_PASSWORD', ['serve', '--data', data, '--port', '0', ...clear]],
    ['TRINO_LAKE_PASSWORD', ['serve', '--data', data, '--port', '0', '--publish', store, ...lake, ...clear]],
    ['TRINO_LAKE_PASSWORD', ['publish', data, store, ...lake, ...clear]],
  ] as const) {
    const { code, err } = await tablegate(args, { [variable]: 's3cret' });
    assert.is(code, 2, err);
    assert.is(
      err,
      `tablegate: ${variable} would be sent to trino.example in clear: --trino must be an https address, or one of this machine\n`,
    );
  }
  const imported = await tablegate(['import', '--remote', 'a.b.c', '--table', 't_1_1', '--data', data], {
    TABLEGATE_TRINO: 'http://trino.example:8080',
    TRINO_PASSWORD: 's3cret',
  });
  assert.is(imported.code, 1, imported.err);
  assert.match(imported.err, /^tablegate: TRINO_PASSWORD would be sent to trino\.example in clear/);
});

test.run();
