// The lake of compose.yaml without a container engine: who mounts it, who makes its folders first, and for which users.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readArguments } from '../../src/cli/arguments.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
/** Of the image of Trino. */
const TRINO_USER = '1000:1000';
const MOUNT = /^ {6}- (?:\*trino-lake|&trino-lake "lake:\/lake")$/m;

const test = suite('deploy/lake');

/** Name -> the lines of a service. */
const services = new Map(
  (/^services:\n(.*?)^volumes:/ms.exec(read('compose.yaml'))?.[1] ?? '')
    .split(/^(?= {2}[\w-]+:$)/m)
    .flatMap((text) => {
      const name = /^ {2}([\w-]+):$/m.exec(text)?.[1];
      return name === undefined ? [] : [[name, text] as const];
    }),
);

test('the coordinator, its workers and the publisher share the lake, and wait until its folders are made', () => {
  const mounting = [...services].flatMap(([name, text]) => (MOUNT.test(text) ? [name] : []));
  assert.equal(mounting.sort(), ['lake-folders', 'lake-publisher', 'trino', 'trino-worker']);
  for (const name of mounting) {
    const text = services.get(name) ?? '';
    assert.match(text, /^ {4}profiles: \[trino\]$/m, name);
    if (name === 'lake-folders') assert.not.match(text, 'depends_on');
    else assert.match(text, /^ {4}depends_on: [*&]lake-made$/m, name);
  }
  assert.match(
    services.get('trino') ?? '',
    / &lake-made\n {6}lake-folders: \{ condition: service_completed_successfully \}$/m,
  );
});

test('the publisher publishes the data of the gateway, into the folder that Trino reads', () => {
  const publisher = services.get('lake-publisher') ?? '';
  const [command = '', data = '', target = '', ...args] = JSON.parse(
    /^ {4}command: (\[.*\])$/m.exec(publisher)?.[1] ?? '[]',
  ) as string[];
  assert.is(command, 'publish');
  const { config } = readArguments(args, {}, ['--watch']);
  assert.is(config.lake, /TRINO_LAKE: (\S+)/.exec(services.get('trino') ?? '')?.[1]);
  assert.match(publisher, `\n      - "data:${data}"\n`);
  assert.match(services.get('tablegate') ?? '', '"data:/data"');
  // Any other folder of the container is only read.
  assert.ok(target.startsWith(`${data}/`));
  const { hostname, port } = new URL(config.trino);
  assert.match(services.get(hostname) ?? '', `expose: ["${port}"]`);
});

test('each may write where it has to: the coordinator its metastore, the publisher all else', () => {
  const script = /entrypoint:\n {6}- sh\n {6}- -ec\n {6}- \|\n((?: {8}.*\n)+)/.exec(
    services.get('lake-folders') ?? '',
  )?.[1];
  const place = mkdtempSync(join(tmpdir(), 'tablegate-compose-lake-'));
  try {
    // Owners are changed by root alone: this says which.
    const [lake, bin, said] = ['lake', 'bin', 'said'].map((name) => join(place, name)) as [
      string,
      string,
      string,
    ];
    for (const folder of [lake, bin]) mkdirSync(folder);
    writeFileSync(join(bin, 'chown'), '#!/bin/sh\necho "$@" >> "$SAID"\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}`, SAID: said };
    // The second start of the containers finds all there.
    for (let start = 0; start < 2; start++) {
      writeFileSync(said, '');
      execFileSync('sh', ['-ec', (script ?? 'false').replaceAll('/lake', lake)], { env });
    }
    assert.equal(readdirSync(lake).sort(), ['files', 'metastore', 'snapshots']);
    const owners = new Map<string, string>();
    for (const line of readFileSync(said, 'utf8').trim().split('\n')) {
      const [owner = '', ...folders] = line.split(' ');
      for (const folder of folders) owners.set(folder.slice(place.length), owner);
    }
    const publisher = /^USER (\S+)$/m.exec(read('Dockerfile'))?.[1];
    const metastore = /catalog\.dir=local:\/\/(\S+)/.exec(
      read('deploy/trino/catalog/lake_publish.properties'),
    );
    assert.equal(Object.fromEntries(owners), {
      '/lake': publisher,
      '/lake/files': publisher,
      '/lake/snapshots': publisher,
      [`/lake${metastore?.[1]}`]: TRINO_USER,
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

test.run();
