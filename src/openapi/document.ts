// The description of the API as OpenAPI 3.1: the only place where it is written down for programs. Answers
// nothing itself.
import { HEADERS } from './answers.ts';
import { PATHS } from './paths.ts';
import { type Json, SCHEMAS } from './schemas.ts';

const DESCRIPTION = `Reads the SQL tables of a Tableland network: one SELECT statement in, rows out. Nothing can be written.

Errors have a JSON body with a \`message\`, which is the validator's own text where it has one, a stable \`code\` for programs and often a \`hint\` for people. A path that is not listed is 404 with the code \`not-found\`; a method that a path does not take is 405 with \`Allow\`; HEAD answers as GET without the body, OPTIONS is 204 with \`Allow\`. What is no HTTP request, comes too slowly or has too large a head is answered with 400, 408 or 431.

Every answer may be read from every origin (CORS). Bodies of some size are compressed for clients that ask.`;

export interface DocumentOptions {
  /** Of the build. */
  readonly version: string;
  /** `/api/v1`, or the public address of it. */
  readonly server: string;
}

export function openApiDocument({ version, server }: DocumentOptions): { readonly [name: string]: Json } {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tablegate',
      version,
      summary: "A read-only gateway to Tableland's SQL tables.",
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [{}, { apiKey: [] }],
    tags: [
      { name: 'Query', description: 'Statements.' },
      { name: 'Tables', description: 'What tables there are, and what they are made of.' },
      { name: 'Transactions', description: 'Receipts.' },
      { name: 'Service', description: 'The gateway itself.' },
    ],
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      headers: HEADERS,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Api-Key',
          description: 'Requests with a key of the operator are not limited. None is needed.',
        },
      },
    },
  };
}
