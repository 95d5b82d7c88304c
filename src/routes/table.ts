// GET /tables/{chainId}/{tableId}: one table's description.
import type { Ask } from '../answer/engine.ts';
import { GatewayError } from '../base/errors.ts';
import { BAD_TABLE_ID } from '../base/reference-words.ts';
import { type Links, tableDocument } from '../catalog/document.ts';
import { type Answer, JSON_TYPE } from '../http/answer.ts';
import { decode } from '../http/request.ts';
import type { Request, Route } from '../http/router.ts';
import type { TableRecord } from '../wire/protocol.ts';
import { readChain, shown } from './chain.ts';
import { createKeptAnswers, type KeptContext } from './kept-answer.ts';
import { readRecord } from './record.ts';

export interface TableContext extends KeptContext {
  readonly ask: Ask;
  /** Asked at each request: the default prefix has the port, which is known once the server listens. */
  readonly links: () => Links;
}

/** Some 1 kB each. */
const KEPT_BYTES = 16 * 1024 * 1024;

export function tableRoute(context: TableContext): Route {
  const kept = createKeptAnswers(context, KEPT_BYTES);
  const describe = (request: Request): Answer | Promise<Answer> => {
    const chainId = readChain(request.segments[0] ?? '', context.serving());
    const tableId = readTableId(request.segments[1] ?? '');
    const links = context.links();
    const name = [chainId, tableId, ...Object.values(links)].join(' ');
    return kept.answer(request, name, JSON_TYPE, async () => {
      const { requestId, client } = request;
      const { body, snapshot } = await context.ask(
        { kind: 'table', chainId, tableId },
        { requestId, client },
      );
      const record = readRecord<TableRecord>(body);
      if (record === null) return { text: undefined, snapshot };
      return { text: tableDocument(record, links), snapshot, table: record.name.toLowerCase() };
    });
  };
  return { word: 'tables', name: 'table', segments: 2, limited: true, handlers: { GET: describe } };
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
