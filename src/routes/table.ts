// GET /tables/{chainId}/{tableId}: one table's description.
import type { Ask } from '../answer/engine.ts';
import type { Catalog, TableKey } from '../catalog/catalog.ts';
import { type Links, tableDocument } from '../catalog/document.ts';
import { GatewayError } from '../errors.ts';
import { type Answer, JSON_TYPE, jsonAnswer, NOTHING_FOUND } from '../http/answer.ts';
import { entityTag, matchesTag } from '../http/etag.ts';
import { decode } from '../http/request.ts';
import type { Request, Route } from '../http/router.ts';
import type { TableRecord } from '../protocol.ts';
import { BAD_TABLE_ID } from '../reference-words.ts';
import { readChain, shown } from './chain.ts';
import { readRecord } from './record.ts';
import type { Serving } from './serving.ts';

export interface TableContext {
  readonly ask: Ask;
  readonly serving: () => Serving;
  readonly catalog: Catalog<SentTable>;
  /** Asked at each request: the default prefix has the port, which is known once the server listens. */
  readonly links: () => Links;
  readonly build: string;
}

export function tableRoute(context: TableContext): Route {
  return {
    word: 'tables',
    name: 'table',
    segments: 2,
    limited: true,
    handlers: { GET: (request) => answerTable(context, request) },
  };
}

function answerTable(context: TableContext, request: Request): Answer | Promise<Answer> {
  const serving = context.serving();
  const chainId = readChain(request.segments[0] ?? '', serving);
  const tableId = readTableId(request.segments[1] ?? '');
  const key = { snapshotId: serving.snapshotId, chainId, tableId };
  const known = context.catalog.known(key);
  if (known !== undefined) return tableAnswer(request, known, key);
  return context.catalog
    .find(key, () => loadTable(context, request, key))
    .then((table) => tableAnswer(request, table, key));
}

/** A table's description as it is sent. */
export interface SentTable {
  readonly answer: Answer;
  readonly tag: string;
}

async function loadTable(context: TableContext, request: Request, key: TableKey): Promise<SentTable | null> {
  const { snapshotId, chainId, tableId } = key;
  const { requestId, client } = request;
  const reply = await context.ask({ kind: 'table', chainId, tableId }, { requestId, client });
  const record = readRecord<TableRecord>(reply.body);
  if (record === null) return null;
  const links = context.links();
  const tag = entityTag([
    context.build,
    snapshotId,
    'table',
    String(chainId),
    tableId,
    ...Object.values(links),
  ]);
  const answer = jsonAnswer(tableDocument(record, links), [...JSON_TYPE, 'ETag', tag]);
  return { answer: { ...answer, snapshot: snapshotId }, tag };
}

function tableAnswer(request: Request, table: SentTable | null, { snapshotId }: TableKey): Answer {
  if (table === null) return { ...NOTHING_FOUND, snapshot: snapshotId };
  const { answer, tag } = table;
  return matchesTag(request.header('if-none-match'), tag)
    ? { status: 304, headers: ['ETag', tag], body: '', snapshot: snapshotId }
    : answer;
}

/** Table ids are uint256: digits, never a JavaScript number. Leading zeros count for nothing, as in the reference. */
export function readTableId(segment: string): string {
  const text = decode(segment, 'the table id');
  if (!/^\d+$/.test(text))
    throw new GatewayError('bad-table-id', BAD_TABLE_ID, {
      hint: `The table id must be a decimal number from 0 up, not ${shown(text)}.`,
    });
  return text.replace(/^0+(?=\d)/, '');
}
