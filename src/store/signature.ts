// A pointer signed with Ed25519: the signature is its last field, over the text without that field, byte for byte.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { OperatorError } from '../base/errors.ts';

const SIGNED = /^(.*),"signature":"([A-Za-z0-9+/]{86}==)"\}\n?$/s;

/** @param text a JSON object */
export function signText(text: string, key: KeyObject): string {
  const plain = text.trimEnd();
  const signature = sign(null, Buffer.from(plain), key).toString('base64');
  return `${plain.slice(0, -1)},"signature":"${signature}"}\n`;
}

/** The text as it was before it was signed; all of it where it is not. */
export function unsignedText(text: string): string {
  const [, plain] = SIGNED.exec(text) ?? [];
  return plain === undefined ? text : `${plain}}`;
}

/** @returns {@link unsignedText} @throws Error to follow "the pointer" */
export function verifyText(text: string, key: KeyObject): string {
  const [, plain, signature = ''] = SIGNED.exec(text) ?? [];
  if (plain === undefined) throw new Error('is not signed');
  const signed = `${plain}}`;
  if (!verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64')))
    throw new Error('is not signed by the key of this replica');
  return signed;
}

/** @param given a PEM file's path, or its text; '' gives undefined @throws OperatorError */
export function readPublishKey(given: string): KeyObject | undefined {
  return readKey(given, '--publish-key', 'private', createPrivateKey);
}

/** The same of a public key. */
export function readPullKey(given: string): KeyObject | undefined {
  return readKey(given, '--pull-key', 'public', createPublicKey);
}

function readKey(
  given: string,
  option: string,
  kind: KeyObject['type'],
  create: (pem: string) => KeyObject,
): KeyObject | undefined {
  if (given === '') return undefined;
  const wanted = `${option} must be an Ed25519 ${kind} key as PEM, or the path of a file with it`;
  let pem = given;
  if (!given.includes('-----BEGIN')) {
    try {
      pem = readFileSync(given, 'utf8');
    } catch (error) {
      throw new OperatorError(`${wanted}: it cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
  // A private key has a public one in it: whoever gives it to a replica gave away too much.
  if (kind === 'public' && pem.includes('PRIVATE KEY'))
    throw new OperatorError(`${wanted}: it is the private one`);
  try {
    const key = create(pem);
    if (key.asymmetricKeyType === 'ed25519' && key.type === kind) return key;
  } catch {
    // Said below: no word of the key's own gets into a message.
  }
  throw new OperatorError(wanted);
}
