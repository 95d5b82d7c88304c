// The package as npm packs it, in an empty folder with nothing but the program's own dependencies: its command, its
// function, its types; and what is in it.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '..', '..');
const ABOUT = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};
const SAMPLE = join(ROOT, 'data', 'samples', 'validator.db');

interface Context {
  folder: string;
  files: readonly string[];
}
const test = suite<Context>('main/package');

test.before((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-package-'));
  // What it is built of stands in dist/ already: prepack is tried by the long ring.
  const told = execFileSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', context.folder],
    {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  // Newer versions of npm give an object by name, older ones an array.
  const [packed] = Object.values(JSON.parse(told) as Record<string, Packed>);
  context.files = (packed?.files ?? []).map(({ path }) => path);
  const modules = join(context.folder, 'node_modules');
  mkdirSync(join(modules, 'tablegate'), { recursive: true });
  const archive = join(context.folder, packed?.filename ?? '');
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', join(modules, 'tablegate')]);
  for (const name of Object.keys(ABOUT.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  writeFileSync(join(context.folder, 'package.json'), '{ "type": "module", "private": true }');
  process.stdout.write(
    `\nNOTE the package is ${Math.round(statSync(archive).size / 1024)} kB packed, ${context.files.length} files\n`,
  );
});
test.after(({ folder }) => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Fails where the program does not end by itself. */
function run({ folder }: Context, file: string, text: string): Promise<Ended> {
  writeFileSync(join(folder, file), text);
  const env = { PATH: process.env['PATH'], HOME: folder };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [file], { cwd: folder, env, timeout: 120_000 }, (error, out, err) => {
      if (error?.killed === true) reject(new Error(`${file} did not end: ${out}${err}`));
      else resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test('it has what it needs, and nothing of tests, benchmarks and sources', ({ files }) => {
  for (const name of [
    ...[
      'dist/main.js',
      'dist/tablegate.js',
      'dist/tablegate.d.ts',
      'dist/build-info.json',
      'dist/console/index.html',
    ],
    ...['README.md', 'LICENSE', 'docs/SETTINGS.md', 'data/samples/validator.db', 'package.json'],
  ])
    assert.ok(files.includes(name), name);
  for (const name of files)
    assert.match(
      name,
      /^(dist\/|docs\/[A-Z-]+\.md$|data\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/,
    );
});

test('createGateway starts one on a followed database, answers, and lets the process end', async (context) => {
  const { code, out, err } = await run(
    context,
    'start.js',
    `import { createGateway } from 'tablegate';
     const lines = [];
     const gateway = await createGateway(
       { data: 'tables', follow: ${JSON.stringify(SAMPLE)}, port: 0, rateLimit: 0, scanWarm: false, deadlineMs: '5s', chains: ['1', '5'] },
       (line) => lines.push(line),
     );
     const statement = 'select count(*) as rigs from rigs_31337_2';
     const answer = await fetch(gateway.url + '/query?' + new URLSearchParams({ statement }));
     console.log(answer.status, await answer.text());
     console.log((await fetch(gateway.address)).status, lines.some((line) => line.includes('serving snapshot')));
     await Promise.all([gateway.close(), gateway.close()]);
     console.log(await fetch(gateway.url + '/health').then(() => 'open', () => 'closed'));`,
  );
  assert.equal([code, err], [0, ''], err);
  assert.is(out, '200 [{"rigs":300}]\n200 true\nclosed\n');
});

test('settings that are unknown or wrong, and folders without a snapshot, are refused as by the command', async (context) => {
  const cases = [
    [{ prot: 1 }, 'unknown option --prot; did you mean --port?'],
    [{ port: 'x' }, '--port must be a whole number from 0 to 65535, not "x"'],
    [{ deadlineMs: '10 parsecs' }, '--deadline-ms must be a time'],
    [{ 'rate-limit': 3 }, 'unknown setting "rate-limit": settings are in camelCase'],
    [{ __proto__x: 1 }, 'unknown setting'],
    [{ data: 'nowhere', port: 0 }, 'nowhere'],
  ] as const;
  const { code, out, err } = await run(
    context,
    'refused.js',
    `import { createGateway } from 'tablegate';
     for (const [settings] of ${JSON.stringify(cases)})
       console.log(await createGateway(settings, () => {}).then(() => 'taken', (error) => error.message));`,
  );
  assert.is(code, 0, err);
  const lines = out.trimEnd().split('\n');
  cases.forEach(([, words], i) => {
    assert.match(lines[i] ?? '', words);
  });
});

test('the command serves a database with one line', async (context) => {
  const { code, out, err } = await run(
    context,
    'command.js',
    `import { spawn } from 'node:child_process';
     const args = ['serve', '--follow', ${JSON.stringify(SAMPLE)}, '--data', 'served', '--port', '0', '--scan-warm', 'off'];
     const child = spawn(process.execPath, ['node_modules/tablegate/dist/main.js', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
     let text = '';
     for await (const part of child.stdout) {
       text += part;
       const url = /listening on (\\S+)/.exec(text)?.[1];
       if (url === undefined) continue;
       console.log((await fetch(url + '/tables/31337/2')).status);
       child.kill('SIGTERM');
     }`,
  );
  assert.equal([code, out], [0, '200\n'], err);
});

test('its types know every setting, and no other', ({ folder }) => {
  writeFileSync(
    join(folder, 'consumer.ts'),
    `import { createGateway, type GatewaySettings, type RunningGateway } from 'tablegate';
     const settings: GatewaySettings = { port: 0, deadlineMs: '10s', console: false, chains: ['1'], metricsPort: 'off' };
     const gateway: RunningGateway = await createGateway(settings, (line: string) => line.length);
     const address: string = gateway.address;
     await gateway.close();
     // @ts-expect-error there is no such setting
     await createGateway({ prot: 1 });
     // @ts-expect-error it is a text
     await createGateway({ host: {} });
     export { address };`,
  );
  const args = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    '',
    'consumer.ts',
  ];
  execFileSync(join(ROOT, 'node_modules', '.bin', 'tsc'), args, { cwd: folder, stdio: 'pipe' });
});

test.run();
