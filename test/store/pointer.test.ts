// The pointer of a store as text from elsewhere: what is read of it, what is refused and in which words; and its signature.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OperatorError } from '../../src/base/errors.ts';
import { partCount } from '../../src/snapshot/file-parts.ts';
import { FILE_NAMES, snapshotNumber } from '../../src/snapshot/layout.ts';
import { type Pointer, parsePointer, pointerText } from '../../src/store/pointer.ts';
import {
  readPublishKey,
  readPullKey,
  signText,
  unsignedText,
  verifyText,
} from '../../src/store/signature.ts';

const test = suite('store/pointer');
const root = mkdtempSync(join(tmpdir(), 'tablegate-pointer-'));
test.after(() => rmSync(root, { recursive: true, force: true }));

const digest = (letter: string): string => letter.repeat(64);
const good: Pointer = {
  format: 1,
  sequence: 1_795_367_244_524,
  id: '000012-3f9a1c',
  created: '2026-11-22T17:07:24.524Z',
  activeAt: '2026-11-22T17:07:29.524Z',
  snapshotFormat: 3,
  engines: { sqlite: '3.53.0', duckdb: 'v1.5.6' },
  files: {
    'rows.sqlite': { bytes: 1_000_000, sha256: digest('a') },
    'manifest.json': { bytes: 680, sha256: digest('b') },
  },
  partBytes: 262_144,
  parts: { bytes: 5 * 32, sha256: digest('c') },
  publisher: 'machine-12345678',
  before: [{ id: '000011-aaaaaa', parts: { bytes: 32, sha256: digest('d') } }],
};

const why = (text: string): string => {
  try {
    parsePointer(text);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`it was read: ${text}`);
};

test('a pointer is read as it was written', () => {
  assert.equal(parsePointer(pointerText(good)), good);
  assert.equal(parsePointer(pointerText({ ...good, activeAt: null })).activeAt, null);
});

test('what is not one is refused, and the words say what is wrong', () => {
  const file = good.files['rows.sqlite'];
  const cases: readonly (readonly [change: Record<string, unknown>, why: string])[] = [
    [{ format: 2 }, 'has format 2, this program reads format 1'],
    [{ format: undefined }, 'has no format'],
    [{ sequence: 0 }, 'is damaged: sequence is no whole number from 1 to NOW'],
    [{ sequence: 1e300 }, 'is damaged: sequence is no whole number from 1 to NOW'],
    [{ sequence: '7' }, 'is damaged: sequence is no whole number from 1 to NOW'],
    [{ id: '../../etc' }, 'is damaged: id is not the name of a snapshot'],
    [{ id: '000012-3f9a1c/..' }, 'is damaged: id is not the name of a snapshot'],
    [{ id: '000012-3f9a1c\n' }, 'is damaged: id is not the name of a snapshot'],
    [{ created: 'now' }, 'is damaged: created is no moment such as 2026-01-02T03:04:05.678Z'],
    [
      { activeAt: '2026-99-99T00:00:00Z' },
      'is damaged: activeAt is no moment such as 2026-01-02T03:04:05.678Z',
    ],
    [{ activeAt: '2026-11-22T19:00:00Z' }, 'has an activeAt of more than an hour after it was created'],
    [{ files: { ...good.files, '../x': file } }, 'names a file that no snapshot has: "../x"'],
    [{ files: { 'rows.sqlite': file } }, 'is damaged: it names no manifest.json'],
    [{ files: [] }, 'is damaged: files is no object'],
    [{ partBytes: 1 }, 'is damaged: partBytes is no whole number from 4096 to 67108864'],
    [{ parts: { bytes: 32, sha256: digest('c') } }, 'has a list of parts that does not fit its files'],
    [{ parts: { bytes: 5 * 32, sha256: 'C' } }, 'is damaged: parts has no SHA-256'],
    [{ before: {} }, 'is damaged: before is no list of snapshots'],
    [{ publisher: 'x'.repeat(201) }, 'is damaged: publisher is no short text'],
    [{ lakeOwner: '../0123456789abc' }, 'is damaged: lakeOwner is not of 16 hexadecimal digits'],
  ];
  for (const [change, expected] of cases)
    assert.is(why(JSON.stringify({ ...good, ...change }))?.replace(/to \d{13,}$/, 'to NOW'), expected);
  assert.is(why('<html>'), 'is no JSON');
  assert.is(why('[]'), 'is damaged: it is no object');
  assert.is(why('null'), 'is damaged: it is no object');
});

test('whatever is changed in the text, it is refused or all that was read is within bounds', () => {
  // xorshift32: the same for everybody.
  let state = 20_261_122;
  process.stdout.write(`\nseed ${state}\n`);
  const random = (below: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
  const text = pointerText(good);
  const pieces = [
    '9',
    '-',
    '1e999',
    '"',
    '{',
    '}',
    '../',
    '\\u0000',
    'null',
    '[]',
    '0',
    ',',
    ':',
    '__proto__',
    '\uffff',
  ];
  let read = 0;
  for (let i = 0; i < 20_000; i++) {
    let changed = text;
    for (let edits = 1 + random(3); edits > 0; edits--) {
      const at = random(changed.length);
      changed = changed.slice(0, at) + (pieces[random(pieces.length)] ?? '') + changed.slice(at + random(4));
    }
    let pointer: Pointer;
    try {
      pointer = parsePointer(changed);
    } catch (error) {
      assert.is((error as Error).constructor, Error, String(error));
      continue;
    }
    read += 1;
    assert.ok(snapshotNumber(pointer.id) !== undefined);
    assert.ok(Object.keys(pointer.files).every((name) => FILE_NAMES.includes(name)));
    const counts = Object.values(pointer.files).map(({ bytes }) => partCount(bytes, pointer.partBytes));
    assert.is(counts.reduce((sum, each) => sum + each, 0) * 32, pointer.parts.bytes);
    assert.ok(pointer.parts.bytes <= 64 * 1024 * 1024);
    assert.ok(Number.isSafeInteger(pointer.sequence + 1));
  }
  assert.ok(read > 100, `${read} were read`);
});

test('a signature is over every byte, and only that of the key counts', () => {
  const mine = generateKeyPairSync('ed25519');
  const other = generateKeyPairSync('ed25519');
  const text = pointerText(good);
  const signed = signText(text, mine.privateKey);
  assert.equal(parsePointer(verifyText(signed, mine.publicKey)), good);
  assert.equal(parsePointer(unsignedText(signed)), good);
  assert.is(unsignedText(text), text);
  assert.throws(() => verifyText(signed, other.publicKey), /not signed by the key of this replica/);
  assert.throws(() => verifyText(text, mine.publicKey), /is not signed$/);
  for (let at = 0; at < signed.indexOf(',"signature"'); at += 7) {
    const changed = `${signed.slice(0, at)}${signed[at] === ' ' ? '_' : ' '}${signed.slice(at + 1)}`;
    assert.throws(() => verifyText(changed, mine.publicKey), /is not signed/, changed);
  }
});

test('keys come as PEM or as a file with it; others are refused without a word of theirs', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  writeFileSync(join(root, 'key.pem'), secret);
  assert.ok(readPublishKey(secret)?.equals(privateKey));
  assert.ok(readPublishKey(join(root, 'key.pem'))?.equals(privateKey));
  assert.ok(readPullKey(pem)?.equals(publicKey));
  assert.is(readPullKey(''), undefined);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const refused = (run: () => unknown, expected: RegExp): void => {
    try {
      run();
    } catch (error) {
      assert.instance(error, OperatorError);
      assert.match((error as Error).message, expected);
      assert.not.match((error as Error).message, secret.split('\n')[1] ?? '');
      return;
    }
    assert.unreachable();
  };
  refused(() => readPublishKey(pem), /--publish-key must be an Ed25519 private key as PEM, or the path/);
  refused(() => readPullKey(secret), /it is the private one$/);
  refused(
    () => readPullKey(rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    /--pull-key must be an Ed25519/,
  );
  refused(() => readPullKey(join(root, 'none.pem')), /it cannot be read: ENOENT$/);
});

test.run();
