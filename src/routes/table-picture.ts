// GET /tables/{chainId}/{tableId}.svg and .html: a table to look at, for marketplaces that show a token's
// `image` and `animation_url`. Writes no markup: picture/ does.
import type { Ask } from '../answer/engine.ts';
import { type Links, tableAddress } from '../catalog/document.ts';
import type { Handler, Request, Route } from '../http/router.ts';
import { MAX_ROWS, TABLE_HTML_POLICY, tableHtml } from '../picture/table-html.ts';
import { TABLE_SVG_POLICY, tableSvg } from '../picture/table-svg.ts';
import type { TableView } from '../picture/table-view.ts';
import type { PreviewRecord } from '../wire/protocol.ts';
import { readChain } from './chain.ts';
import { createKeptAnswers, type KeptContext, type Made } from './kept-answer.ts';
import { readRecord } from './record.ts';
import { readTableId } from './table.ts';

export interface PictureContext extends KeptContext {
  readonly ask: Ask;
  readonly links: () => Links;
}

interface Picture {
  readonly ending: string;
  readonly headers: readonly string[];
  readonly draw: (view: TableView) => string;
}

const KEPT_BYTES = 16 * 1024 * 1024;

/** May be shown anywhere, for a minute without asking; what it says comes from strangers, so it may do nothing. */
const pictureHeaders = (type: string, policy: string): readonly string[] => [
  'Content-Type',
  type,
  'Content-Security-Policy',
  policy,
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Cache-Control',
  'public, max-age=60',
];

const PICTURES: readonly Picture[] = [
  {
    ending: '.svg',
    headers: pictureHeaders('image/svg+xml; charset=utf-8', TABLE_SVG_POLICY),
    draw: tableSvg,
  },
  {
    ending: '.html',
    headers: pictureHeaders('text/html; charset=utf-8', TABLE_HTML_POLICY),
    draw: tableHtml,
  },
];

/** The route of a table's description, answering for its pictures too: they differ in the path's ending only. */
export function withPictures(route: Route, context: PictureContext): Route {
  const describe = route.handlers.GET;
  if (describe === undefined) return route;
  const kept = createKeptAnswers(context, KEPT_BYTES);
  const handle: Handler = (request) => {
    const name = request.segments[1] ?? '';
    const picture = PICTURES.find(({ ending }) => name.endsWith(ending));
    if (picture === undefined) return describe(request);
    const chainId = readChain(request.segments[0] ?? '', context.serving());
    const tableId = readTableId(name.slice(0, -picture.ending.length));
    const address = tableAddress({ chainId, tableId }, context.links());
    return kept.answer(request, `${picture.ending} ${chainId} ${tableId} ${address}`, picture.headers, () =>
      drawTable(context, request, picture, { chainId, tableId, address }),
    );
  };
  return { ...route, handlers: { ...route.handlers, GET: handle } };
}

async function drawTable(
  { ask }: PictureContext,
  { requestId, client }: Request,
  picture: Picture,
  { chainId, tableId, address }: Pick<TableView, 'chainId' | 'tableId' | 'address'>,
): Promise<Made> {
  const { body, snapshot } = await ask(
    { kind: 'preview', chainId, tableId, rows: MAX_ROWS },
    { requestId, client },
  );
  const preview = readRecord<PreviewRecord>(body);
  if (preview === null) return { text: undefined, snapshot };
  const { name, createdAt, columns, tableConstraints } = preview.table;
  const { rows, rowCount } = preview;
  const view = { name, chainId, tableId, createdAt, columns, tableConstraints, rows, rowCount, address };
  return { text: picture.draw(view), snapshot, table: name.toLowerCase() };
}
