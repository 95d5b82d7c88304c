// Judges an answer of a running gateway by the description that it gives of itself: status, headers, type, body.
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as assert from 'uvu/assert';

type Part = Readonly<Record<string, unknown>>;

export interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Part }>>;
  /** A body that is there for some requests only, which OpenAPI cannot say. */
  readonly 'x-content'?: Readonly<Record<string, { readonly schema: Part }>>;
}
export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Part[];
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}
export interface Description {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Part>>;
    readonly headers: Readonly<Record<string, { readonly schema: Part }>>;
  };
}

/** HTTP's own, and CORS, which the description tells in words. */
const PLAIN = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
]);

export interface Judge {
  /** Fails where the answer is not one of the operation's. Gives the body. */
  judge(path: string, method: string, answer: Response): Promise<unknown>;
  /** `GET /query 200 application/json`: what was seen, and what is described but was not. */
  readonly seen: ReadonlySet<string>;
  unseen(): readonly string[];
}

export function createJudge(description: Description): Judge {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  ajv.addFormat('uri', (value: string) => URL.canParse(value));
  ajv.addFormat('binary', true);
  // References are written for the whole document.
  const own = (schema: Part): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"http://api/')) as object;
  for (const [name, schema] of Object.entries(description.components.schemas))
    ajv.addSchema(own(schema), `http://api/${name}`);
  const seen = new Set<string>();

  const validate = (schema: Part, value: unknown, what: string): void => {
    const valid = ajv.compile(own(schema));
    assert.ok(
      valid(value),
      `${what}: ${ajv.errorsText(valid.errors)} in ${JSON.stringify(value)?.slice(0, 300)}`,
    );
  };

  const checkHeaders = (answer: Response, described: DescribedAnswer, what: string): void => {
    for (const [name, value] of answer.headers) {
      if (PLAIN.has(name) || name.startsWith('access-control-')) continue;
      assert.ok(described.headers?.[name], `${what}: the header ${name} is not described`);
      const schema = description.components.headers[name]?.schema ?? {};
      validate(schema, schema['type'] === 'integer' ? Number(value) : value, `${what}: ${name}`);
    }
  };

  return {
    seen,
    async judge(path, method, answer) {
      const what = `${method} ${path} ${answer.status}`;
      const operation = description.paths[path]?.[method.toLowerCase()];
      assert.ok(operation, `${what}: no such operation is described`);
      const described = operation?.responses[String(answer.status)];
      assert.ok(described, `${what}: no such answer is described: ${await answer.clone().text()}`);
      if (described === undefined) return undefined;
      checkHeaders(answer, described, what);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (bytes.byteLength === 0) {
        assert.ok(described.content === undefined || method === 'HEAD', `${what}: a body is described`);
        seen.add(what);
        return undefined;
      }
      const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const media = (described.content ?? described['x-content'])?.[type];
      assert.ok(media, `${what}: ${type} is not described`);
      const body: unknown =
        type === 'application/json' ? JSON.parse(bytes.toString()) : bytes.toString('latin1');
      validate(media?.schema ?? {}, body, what);
      seen.add(`${what} ${type}`);
      return body;
    },
    unseen() {
      const all = Object.entries(description.paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, { responses }]) =>
          Object.entries(responses).flatMap(([status, { content, 'x-content': some }]) => {
            const what = `${method.toUpperCase()} ${path} ${status}`;
            const typed = Object.keys(content ?? some ?? {}).map((type) => `${what} ${type}`);
            return content === undefined ? [what, ...typed] : typed;
          }),
        ),
      );
      return all.filter((what) => !seen.has(what));
    },
  };
}
