// The peer to beat: what a capable engineer writes in an afternoon, with Fastify and @duckdb/node-api. A few
// connections in turn, runAndReadAll, JSON.stringify. Trusts its clients; for the bench only.
import { DuckDBInstance } from '@duckdb/node-api';
import Fastify from 'fastify';

const CONNECTIONS = 4;

const instance = await DuckDBInstance.create(process.argv[2] ?? '', { access_mode: 'READ_ONLY' });
const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => instance.connect()));
let turn = 0;

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

const server = Fastify({ logger: false, maxParamLength: 40_000 });
server.get('/api/v1/health', () => ({ ok: true }));
server.get<{ Querystring: { statement?: string } }>('/api/v1/query', async (request, reply) => {
  const connection = connections[turn++ % CONNECTIONS];
  const reader = await connection?.runAndReadAll(request.query.statement ?? '');
  return reply.type('application/json').send(JSON.stringify(reader?.getRowObjectsJS() ?? [], plain));
});
const address = await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.(Number(new URL(address).port));
process.on('disconnect', () => process.exit(0));
