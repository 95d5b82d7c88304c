// An object store that speaks S3, with its conditional writes. Loaded only where one is used: a gateway's front never
// does.
import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { S3Credentials } from './address.ts';
import { PARTS, type Store, type StoredPart, StoreError } from './store.ts';
import { ask, readBody, refusal, type Web, webStore } from './web-store.ts';

/** Of 1,000 objects, which is the most that it gives at once. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_PAGES = 10_000;

/** @param address `s3://BUCKET/PREFIX` */
export function s3Store(address: string, credentials: S3Credentials): Store {
  const { accessKeyId, secretAccessKey, sessionToken, region, endpoint } = credentials;
  const { hostname: bucket, pathname } = new URL(address);
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  const root =
    endpoint === undefined ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`;
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 },
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
  const send = async (
    url: string,
    { method, headers, body, signal }: Parameters<Web['send']>[0],
  ): Promise<Response> => {
    const digest = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const request = await client.sign(url, {
      ...{ method, signal, redirect: 'manual', headers: { ...headers, 'x-amz-content-sha256': digest } },
      ...(body === undefined ? {} : { body }),
    });
    return fetch(request);
  };
  const base = prefix === '' ? root : `${root}/${prefix}`;
  const web: Web = {
    name: address,
    isConditional: true,
    send: (request) => send(`${base}/${request.path}`, request),
  };
  const pages: Web = { ...web, send: (request) => send(`${root}${request.path}`, request) };
  const below = decodeURI(prefix === '' ? `${PARTS}/` : `${prefix}/${PARTS}/`);

  return {
    ...webStore(web),
    async listParts(signal) {
      const found: StoredPart[] = [];
      let token: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const search = new URLSearchParams({ 'list-type': '2', prefix: below });
        if (token !== undefined) search.set('continuation-token', token);
        const answer = await ask(pages, { method: 'GET', path: `/?${search}`, signal });
        if (answer.status !== 200) throw await refusal(pages, answer, 'a list of its parts');
        const text = (await readBody(answer, MAX_LIST_BYTES, 'a list of its parts')).toString('utf8');
        found.push(...partsIn(text, below));
        token = /<IsTruncated>\s*true/.test(text) ? textOf(text, 'NextContinuationToken') : undefined;
        if (token === undefined) return found;
      }
      throw new StoreError(`${address} has more parts than any snapshots`);
    },
  };
}

/** Of ListObjectsV2's XML; names that are no part's are nobody's business. */
function partsIn(xml: string, below: string): readonly StoredPart[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, object = '']) => {
    const key = textOf(object, 'Key') ?? '';
    const name = key.startsWith(below) ? key.slice(below.length) : '';
    const changedMs = Date.parse(textOf(object, 'LastModified') ?? '');
    return /^[0-9a-f]{64}$/.test(name) && !Number.isNaN(changedMs) ? [{ name, changedMs }] : [];
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function textOf(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text?.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
