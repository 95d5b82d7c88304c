// GET /tables/{chainId}/{tableId}: one table's description.
import type { Ask } from '../answer/engine.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { type Links, tableDocument } from '../catalog/document.ts';
import { GatewayError } from '../errors.ts';
import { type Answer, JSON_TYPE, jsonAnswer, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import { decode } from '../http/request.ts';
import type { Request, Route } from '../http/router.ts';
import type { TableRecord } from '../protocol.ts';
import { readChain, shown } from './chain.ts';
import { readRecord } from './record.ts';
import type { Serving } from './serving.ts';

export interface TableContext {
  readonly ask: Ask;
  readonly serving: () => Serving;
  readonly catalog: Catalog;
  /** Asked at each request: the default prefix has the port, which is known once the server listens. */
  readonly links: () => Links;
  readonly build: string;
}

export function tableRoute(context: TableContext): Route {
  return {
    word: 'tables',
    segments: 2,
    limited: true,
    handlers: { GET: (request) => answerTable(context, request) },
  };
}

async function answerTable(context: TableContext, request: Request): Promise<Answer> {
  const { ask, catalog } = context;
  const serving = context.serving();
  const links = context.links();
  const chainId = readChain(request.segments[0] ?? '', serving);
  const tableId = readTableId(request.segments[1] ?? '');
  const tag = entityTag([
    context.build,
    serving.snapshotId,
    'table',
    String(chainId),
    tableId,
    ...Object.values(links),
  ]);
  if (matchesTag(request.header('if-none-match'), tag))
    return { status: 304, headers: ['ETag', tag], body: '' };
  const document = await catalog.find({ snapshotId: serving.snapshotId, chainId, tableId }, async () => {
    const reply = await ask(
      { kind: 'table', chainId, tableId },
      { requestId: request.requestId, client: request.client },
    );
    const record = readRecord<TableRecord>(reply.body);
    return record === null ? null : tableDocument(record, links);
  });
  return document === null ? NOTHING_FOUND : jsonAnswer(document, [...JSON_TYPE, 'ETag', tag]);
}

/** Table ids are uint256: digits, never a JavaScript number. Leading zeros count for nothing, as in the reference. */
export function readTableId(segment: string): string {
  const text = decode(segment, 'the table id');
  if (!/^\d+$/.test(text))
    throw new GatewayError(
      'bad-table-id',
      `The table id must be a decimal number from 0 up, not ${shown(text)}.`,
    );
  return text.replace(/^0+(?=\d)/, '');
}
