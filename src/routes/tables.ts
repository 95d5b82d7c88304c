// GET /tables: the user tables page by page, found by chain and part of the name. Knows no SQL: what the
// client wrote is checked here and bound as a value by the worker.
import type { Ask } from '../answer/engine.ts';
import { GatewayError } from '../base/errors.ts';
import { type Links, tableAddress } from '../catalog/document.ts';
import { JSON_TYPE } from '../http/answer.ts';
import { readParameters } from '../http/request.ts';
import type { Route } from '../http/router.ts';
import type { TableListRecord, TablePosition, TablesJob } from '../wire/protocol.ts';
import { readChain, shown } from './chain.ts';
import { createKeptAnswers, type KeptContext } from './kept-answer.ts';
import { readRecord } from './record.ts';
import type { Serving } from './serving.ts';

export interface TablesContext extends KeptContext {
  readonly ask: Ask;
  readonly links: () => Links;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const MAX_SEARCH = 100;
/** Digits of the largest uint256. */
const MAX_ID_DIGITS = 78;
const KEPT_BYTES = 8 * 1024 * 1024;

export function tablesRoute(context: TablesContext): Route {
  const kept = createKeptAnswers(context, KEPT_BYTES);
  return {
    word: 'tables',
    segments: 0,
    limited: true,
    handlers: {
      GET: (request) => {
        const job = readListing(request.search, context.serving());
        const links = context.links();
        const { chainId, search, limit, after } = job;
        const name = JSON.stringify([links.externalUriPrefix, chainId, search, limit, after]);
        return kept.answer(request, name, JSON_TYPE, async () => {
          const { body, snapshot } = await context.ask(job, {
            requestId: request.requestId,
            client: request.client,
          });
          const record = readRecord<TableListRecord>(body);
          return {
            text: record === null ? undefined : listingDocument(record, snapshot, context.serving(), links),
            snapshot,
          };
        });
      },
    },
  };
}

/** Of a repeated parameter the first counts, an empty one is absent, unknown ones are ignored: as in /query. */
function readListing(query: string, serving: Serving): TablesJob {
  const parameters = readParameters(query);
  const given = (name: string): string => parameters.get(name)?.[0] ?? '';
  return {
    kind: 'tables',
    chainId: given('chain') === '' ? null : readChain(given('chain'), serving),
    search: readSearch(given('search')),
    limit: given('limit') === '' ? DEFAULT_LIMIT : readLimit(given('limit')),
    after: given('after') === '' ? null : readPosition(given('after')),
  };
}

function readSearch(text: string): string {
  if (text.length > MAX_SEARCH)
    throw new GatewayError('bad-parameter', `search must have at most ${MAX_SEARCH} characters.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new GatewayError(
      'bad-parameter',
      'search must be part of a table name, without control characters.',
    );
  return text;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d{1,6}$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw new GatewayError(
      'bad-parameter',
      `limit must be a whole number from 1 to ${MAX_LIMIT}, not ${shown(text)}.`,
    );
  return limit;
}

/** What `next` of the page before says: any position will do, also one where no table stands any more. */
function readPosition(text: string): TablePosition {
  const [chain = '', id = '', ...more] = text.split('/');
  const digits = /^\d+$/;
  if (
    more.length > 0 ||
    !digits.test(chain) ||
    !digits.test(id) ||
    chain.length > 15 ||
    id.length > MAX_ID_DIGITS
  )
    throw new GatewayError(
      'bad-parameter',
      `after must be the "next" of the page before, such as 1/42, not ${shown(text)}.`,
    );
  return { chainId: Number(chain), tableId: id.replace(/^0+(?=\d)/, '') };
}

function listingDocument(record: TableListRecord, snapshot: string, serving: Serving, links: Links): string {
  const last = record.tables.at(-1);
  return JSON.stringify({
    snapshot,
    chains: [...serving.chains].sort((a, b) => a - b),
    total: record.total,
    tables: record.tables.map((table) => ({
      name: table.name,
      chain_id: table.chainId,
      table_id: table.tableId,
      prefix: table.prefix,
      created_at: table.createdAt,
      row_count: table.rowCount,
      column_count: table.columnCount,
      remote: table.remote,
      url: tableAddress(table, links),
    })),
    next: record.more && last !== undefined ? `${last.chainId}/${last.tableId}` : undefined,
  });
}
