// Reads src/ and holds the architecture of docs/ARCHITECTURE.md: which way imports run, who may load DuckDB, and the
// habits that a script can check.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const MAX_LINES = 400;

/** Lower ranks know nothing of higher ones. Parts of one rank may use each other unless SEPARATE says no. */
const RANKS: readonly (readonly string[])[] = [
  ['base'],
  ['wire'],
  ['cli'],
  ['limit', 'statement', 'dialect', 'picture', 'console', 'metrics', 'log', 'openapi'],
  ['encode'],
  ['answer', 'catalog', 'columns', 'snapshot', 'source'],
  ['store', 'trino'],
  ['lane', 'pool', 'worker', 'rowstore', 'remote', 'ingest', 'follow', 'lake'],
  ['publish', 'pull'],
  ['http'],
  ['routes'],
  ['gateway'],
  ['fronts'],
  ['app'],
  ['tablegate', 'main'],
];
/** Parts that share wire/ alone and never import each other. */
const SEPARATE: readonly (readonly string[])[] = [
  ['lane', 'pool', 'worker', 'rowstore', 'remote'],
  ['ingest', 'lane', 'pool', 'worker', 'rowstore', 'remote', 'lake'],
  ['limit', 'statement'],
  ['limit', 'dialect'],
  ['limit', 'picture'],
  ['picture', 'statement', 'dialect'],
  ['metrics', 'log', 'limit', 'statement', 'dialect', 'picture'],
  ['publish', 'pull', 'ingest'],
];
/** The page's own code: it runs in the browser, and the gateway serves it as bytes. */
const BROWSER = 'console';
/** Only these folders may load the engine; the front never does. */
const LOADS_DUCKDB = ['columns', 'worker', 'ingest', 'lake'];

interface Source {
  /** `http/server.ts`. */
  readonly name: string;
  /** `http`, or the file's own name at the top. */
  readonly part: string;
  readonly text: string;
  /** Files of src/ that it imports: at once, and with `import()` when it is called. */
  readonly imports: readonly string[];
  readonly lateImports: readonly string[];
  /** Files and packages that are there when it is: types are not. */
  readonly loads: readonly string[];
  readonly packages: readonly string[];
}

const STATIC_IMPORT = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm;
const TYPE_IMPORT = /^(?:import|export)\stype\s/;
const LATE_IMPORT = /\bimport\('([^']+)'\)|\bnew URL\('([^']+)',\s*import\.meta\.url\)/g;

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort();
}

function partOf(name: string): string {
  return name.includes('/') ? (name.split('/')[0] ?? '') : name.replace(/\.ts$/, '');
}

function readSource(name: string): Source {
  const text = readFileSync(join(SRC, name), 'utf8');
  const found = [...text.matchAll(STATIC_IMPORT)];
  const statics = found.map((match) => match[1] ?? '');
  const values = found.filter(([line]) => !TYPE_IMPORT.test(line)).map((match) => match[1] ?? '');
  const lates = [...text.matchAll(LATE_IMPORT)].map((match) => match[1] ?? match[2] ?? '');
  const own = (specifiers: readonly string[]): string[] =>
    specifiers
      .filter((each) => each.startsWith('.'))
      .map((each) => relative(SRC, join(dirname(join(SRC, name)), each)));
  return {
    name,
    part: partOf(name),
    text,
    imports: own(statics),
    lateImports: own(lates),
    loads: [...own(values), ...values.filter((each) => !each.startsWith('.'))],
    packages: [...statics, ...lates].filter((each) => !each.startsWith('.') && !each.startsWith('node:')),
  };
}

const sources = filesUnder(SRC, '.ts').map(readSource);
const byName = new Map(sources.map((source) => [source.name, source]));
const rankOf = (part: string): number => RANKS.findIndex((parts) => parts.includes(part));

test('every part of src/ has a rank', () => {
  assert.ok(sources.length > 30);
  for (const { part, name } of sources) assert.ok(rankOf(part) >= 0, `${name}: give its folder a rank here`);
});

test('every import is of a file that exists', () => {
  for (const { name, imports } of sources)
    for (const target of imports) assert.ok(byName.has(target), `${name} imports ${target}`);
});

test('imports run one way only', () => {
  for (const { name, part, imports } of sources)
    for (const target of imports)
      assert.ok(rankOf(partOf(target)) <= rankOf(part), `${name} imports ${target}, which stands above it`);
});

test('parts that are to be exchangeable never import each other', () => {
  for (const group of SEPARATE)
    for (const { name, part, imports } of sources)
      for (const target of imports) {
        const other = partOf(target);
        const crosses = group.includes(part) && group.includes(other) && part !== other;
        assert.not(crosses, `${name} imports ${target}`);
      }
});

test('the page and the gateway share no code', () => {
  for (const { name, part, imports } of sources)
    for (const target of imports)
      assert.is(partOf(target) === BROWSER, part === BROWSER, `${name} imports ${target}`);
});

test('imports make no cycle, types included', () => {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    assert.not(path.includes(name), `cycle: ${[...path, name].join(' -> ')}`);
    if (done.has(name)) return;
    for (const target of byName.get(name)?.imports ?? []) visit(target, [...path, name]);
    done.add(name);
  };
  for (const { name } of sources) visit(name, []);
});

test('caches are made in one place', () => {
  const makers = sources.filter(({ packages }) => packages.includes('lru-cache')).map(({ name }) => name);
  assert.equal(makers, [join('base', 'cache.ts')]);
});

test('only workers and imports load DuckDB', () => {
  for (const { name, part, packages } of sources)
    if (packages.some((each) => each.startsWith('@duckdb/')))
      assert.ok(LOADS_DUCKDB.includes(part), `${name} loads DuckDB`);
});

test('nothing that the front or an import loads at its start leads to DuckDB', () => {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const target of byName.get(name)?.loads ?? []) {
      assert.not(target.startsWith('@duckdb/'), `${name} is loaded at the start, and loads DuckDB`);
      assert.is.not(
        target,
        'aws4fetch',
        `${name} is loaded at the start, and loads what signs for object stores`,
      );
      visit(target);
    }
  };
  // What a command loads when it runs.
  for (const name of [
    'main.ts',
    'app.ts',
    'fronts/supervisor.ts',
    'fronts/main.ts',
    'follow/follower.ts',
    'ingest/command.ts',
  ]) {
    assert.ok(byName.has(name), name);
    visit(name);
  }
  assert.ok(seen.has('http/server.ts'), 'the walk reaches the server');
});

test('no file is a barrel or named for a drawer', () => {
  for (const { name } of sources)
    assert.not.match(name, /(^|\/)(index|utils?|common|helpers?|types|misc)(\.ts$|\/)/, name);
  for (const { name, text } of sources) {
    assert.not.match(text, /^export \* from/m, `${name} re-exports all of a file`);
    const own = text.match(/^(export )?(async )?(const|function|interface|type|class|let) /gm)?.length ?? 0;
    assert.ok(own > 0 || !/^export \{[^}]*\} from/m.test(text), `${name} only re-exports`);
  }
});

test('files are small and named in kebab-case', () => {
  for (const { name, text } of sources) {
    assert.match(name, /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/);
    const lines = text.split('\n').length - 1;
    assert.ok(lines <= MAX_LINES, `${name} has ${lines} lines`);
  }
});

test('every file opens with a comment that says its job', () => {
  for (const { name, text } of sources) assert.match(text, /^(#!.*\n)?(\/\/ .{20,}|\/\*\*)/, name);
});

test('nothing is written to the console', () => {
  for (const { name, text } of sources) assert.not.match(text, /\bconsole\./, name);
});

test('every test file runs its tests', () => {
  for (const name of filesUnder(join(ROOT, 'test'), '.test.ts')) {
    const text = readFileSync(join(ROOT, 'test', name), 'utf8').trimEnd();
    // A file of the long ring may be one of the quick ring again, more of it.
    if (name.startsWith('long/') && /^\/\/ .{10,}\nimport '\.\.\/[\w/-]+\.test\.ts';$/.test(text)) continue;
    assert.match(text, /\n\w+\.run\(\);$/, `${name} must end with test.run()`);
  }
});

test.run();
