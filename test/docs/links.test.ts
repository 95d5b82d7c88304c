// Every page for readers: its links lead to files and headings that exist, its make targets and options are real.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { optionName } from '../../src/cli/arguments.ts';
import { SETTINGS } from '../../src/cli/config.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md', 'data/README.md'].concat(
  readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
);
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** As code hosts make them of headings. */
function anchors(page: string): ReadonlySet<string> {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

for (const page of PAGES) {
  test(`${page}: links lead somewhere`, () => {
    for (const [, to = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(to)) continue;
      const [path = '', anchor] = to.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(ROOT, target)), `${to} does not exist`);
      if (anchor !== undefined) assert.ok(anchors(target).has(anchor), `${to}: no such heading`);
    }
  });

  test(`${page}: make targets are there`, () => {
    const makefile = read('Makefile');
    for (const [, target = ''] of read(page).matchAll(/(?:^|`|&& )make ([a-z][a-z-]*)/gm))
      assert.match(makefile, new RegExp(`^${target}:`, 'm'), `make ${target}`);
  });
}

test('docs/ARCHITECTURE.md says of each dependency of the program why it is there, and its licence', () => {
  const { dependencies } = JSON.parse(read('package.json')) as {
    readonly dependencies: Record<string, string>;
  };
  const rows = [...read('docs/ARCHITECTURE.md').matchAll(/^\| `([^`]+)` \| [^|]{10,} \| ([\w.-]+) \|$/gm)];
  const named = new Map(rows.map(([, name = '', licence = '']) => [name, licence]));
  for (const name of Object.keys(dependencies)) {
    const about = JSON.parse(read(`node_modules/${name}/package.json`)) as { readonly license: string };
    assert.is(named.get(name), about.license, name);
  }
});

test('README.md tells of every page of docs/, and of options that exist', () => {
  const text = read('README.md');
  for (const page of PAGES.filter((name) => name.startsWith('docs/'))) assert.match(text, `](${page})`, page);
  const options = new Set([...Object.keys(SETTINGS).map(optionName), '--help', '--print-config', '--table']);
  // Of curl, docker, npx and the bench.
  const foreign = [
    ...['--get', '--data-urlencode', '--tag', '--publish', '--volume', '--package', '--only', '--flights'],
  ];
  for (const [option] of text.matchAll(/--[a-z][a-z-]+/g))
    assert.ok(options.has(option) || foreign.includes(option), option);
});

test('CONTRIBUTING.md names files and folders that are there', () => {
  const paths = [...read('CONTRIBUTING.md').matchAll(/`((?:src|test|bench|\.ci)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  assert.ok(paths.length > 20);
  for (const path of paths) assert.ok(existsSync(join(ROOT, path)), path);
});

test('the badges of README.md are true', () => {
  const badges = [...read('README.md').matchAll(/badge\/([^)]+)-blue\)/g)].map(([, text = '']) =>
    decodeURIComponent(text),
  );
  const { license, engines, dependencies } = JSON.parse(read('package.json')) as {
    readonly license: string;
    readonly engines: { readonly node: string };
    readonly dependencies: Record<string, string>;
  };
  const versions =
    /VERSIONS = \[([\d, ]+)\]/.exec(read('test/long/node-versions.test.ts'))?.[1]?.split(', ') ?? [];
  assert.ok(versions.length > 0);
  for (const version of versions) assert.match(engines.node, new RegExp(`\\b${version}\\b`));
  assert.equal(badges, [
    `licence-${license}`,
    `node-${versions.join(' | ')}`,
    'OpenAPI-3.1',
    `dependencies-${Object.keys(dependencies).length}`,
  ]);
});

test.run();
