// Every example of docs/CLIENTS.md, and what README.md and docs/FORMATS.md ask of a running gateway, is run as it
// stands there against a live gateway over the sample tables, and prints what the page says.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runImport } from '../support/import.ts';
import { ADDRESS, type Example, type Language, readExamples } from './examples.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SAMPLES = join(ROOT, 'data', 'samples');

interface Context {
  folder: string;
  gateway: TestGateway;
}
const test = suite<Context>('clients');

test.before(async (context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tablegate-clients-'));
  const data = join(context.folder, 'data');
  runImport(join(SAMPLES, 'validator.db'), data);
  runImport(join(SAMPLES, 'flights_31337_4.parquet'), data, '--table', 'flights_31337_4');
  // As `npm install @tableland/sdk` would.
  symlinkSync(join(ROOT, 'node_modules'), join(context.folder, 'node_modules'));
  context.gateway = await startTestGateway({ data });
});
test.after(async ({ folder, gateway }) => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As DuckDB's own shell prints rows with `-list -noheader`, in a process of its own. */
const DUCKDB = `
  import { readFileSync } from 'node:fs';
  import { DuckDBInstance } from '@duckdb/node-api';
  const connection = await (await DuckDBInstance.create()).connect();
  const rows = (await connection.runAndReadAll(readFileSync('example.sql', 'utf8'))).getRows();
  for (const row of rows) console.log(row.map(String).join('|'));
`;

/** One that has pandas and pyarrow, where there is one; `none` where CI has no package index to get them from. */
const LIBRARIES = process.env['CLIENTS_PYTHON'];
const PYTHON = LIBRARIES === undefined || LIBRARIES === 'none' ? 'python3' : LIBRARIES;

interface Runner {
  readonly file: string;
  readonly command: readonly [string, ...string[]];
}
const RUNNERS: { readonly [L in Language]: Runner } = {
  sh: { file: 'example.sh', command: ['bash', '-euo', 'pipefail', 'example.sh'] },
  js: { file: 'example.mjs', command: [process.execPath, 'example.mjs'] },
  sql: { file: 'example.sql', command: [process.execPath, 'duckdb.mjs'] },
  python: { file: 'example.py', command: [PYTHON, 'example.py'] },
};

function run({ folder, gateway }: Context, { language, code }: Example): Promise<string> {
  const { file, command } = RUNNERS[language];
  writeFileSync(join(folder, 'duckdb.mjs'), DUCKDB);
  writeFileSync(join(folder, file), code.replaceAll(ADDRESS, gateway.origin));
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder, timeout: 60_000 }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout}${stderr}`)),
    );
  });
}

/** Why an example cannot be run here; undefined where it can. */
function missingFor({ language, code }: Example): string | undefined {
  if (language !== 'python') return undefined;
  const modules = [...code.matchAll(/^(?:import|from) (pandas|pyarrow)\b/gm)].map(([, name]) => name);
  if (modules.length > 0 && LIBRARIES === 'none') return 'CI could not install pandas and pyarrow';
  const { status, stderr } = spawnSync(PYTHON, ['-c', `import sys, ${['json', ...modules].join(', ')}`]);
  if (status === 0) return undefined;
  const why = `${PYTHON} cannot run it: ${stderr?.toString().trim().split('\n').at(-1) ?? 'it is not there'}`;
  assert.not(process.env['CI'] !== undefined, `${why}; .ci/run installs python3, pandas and pyarrow`);
  return why;
}

const page = readExamples('docs/CLIENTS.md');

test('there are examples of every kind', () => {
  const count = (language: Language): number =>
    page.filter((example) => example.language === language).length;
  assert.ok(count('sh') >= 8);
  assert.ok(count('js') >= 3);
  assert.ok(count('sql') >= 1);
  assert.ok(count('python') >= 1);
  assert.ok(page.filter(({ prints }) => prints !== undefined).length >= page.length - 1);
});

for (const example of page)
  test(`docs/CLIENTS.md, line ${example.line} (${example.language})`, async (context) => {
    const missing = missingFor(example);
    if (missing !== undefined) {
      process.stdout.write(`\nSKIPPED the Python example of line ${example.line}: ${missing}\n`);
      return;
    }
    const printed = await run(context, example);
    if (example.prints !== undefined) assert.is(printed.trimEnd(), example.prints.trimEnd());
  });

/** Of other pages: what asks a running gateway. What builds, imports or serves is run by other tests. */
for (const name of ['README.md', 'docs/FORMATS.md'])
  for (const example of readExamples(name).filter(({ code }) => code.includes(ADDRESS)))
    if (!/^make /m.test(example.code))
      test(`${name}, line ${example.line} (${example.language})`, async (context) => {
        const failing = example.code.replaceAll('curl -s', 'curl -sf');
        assert.ok(typeof (await run(context, { ...example, code: failing })) === 'string');
      });

test.run();
