// A table's public description, as marketplaces and the SDK read it: names and links made from a stored
// record. Order and absence of members are the reference's.
import type { TableRecord } from '../wire/protocol.ts';

export interface Links {
  /** Public address of the gateway, without a slash at the end. */
  readonly externalUriPrefix: string;
  readonly basePath: string;
  /** '' where this gateway draws tables itself; {@link NO_RENDERER} where nobody does. */
  readonly animationRendererUri: string;
  readonly metadataRendererUri: string;
}

/** A setting's value: links as the reference gives them where its renderers are not set. */
export const NO_RENDERER = 'none';

/** What the network shows for a table that has no renderer; the SDK needs an `image` of every table. */
const DEFAULT_IMAGE = 'https://bafkreifhuhrjhzbj4onqgbrmhpysk2mop2jimvdvfut6taiyzt2yqzt43a.ipfs.dweb.link';

/** Public address of a table's description; its pictures add their ending. */
export function tableAddress(
  { chainId, tableId }: Pick<TableRecord, 'chainId' | 'tableId'>,
  { externalUriPrefix, basePath }: Links,
): string {
  return `${externalUriPrefix}${basePath}/tables/${chainId}/${tableId}`;
}

/** JSON text of a Table. */
export function tableDocument(record: TableRecord, links: Links): string {
  const address = tableAddress(record, links);
  const drawn = (renderer: string, ending: string): string | undefined => {
    if (renderer === NO_RENDERER) return undefined;
    return `${renderer === '' ? address : `${renderer}/${record.chainId}/${record.tableId}`}${ending}`;
  };
  // JSON leaves out what is undefined, which is how the reference writes what is empty.
  return JSON.stringify({
    name: record.name,
    external_url: address,
    animation_url: drawn(links.animationRendererUri, '.html'),
    image: drawn(links.metadataRendererUri, '.svg') ?? DEFAULT_IMAGE,
    attributes: [{ display_type: 'date', trait_type: 'created', value: record.createdAt }],
    schema: {
      columns: record.columns.map(({ name, type, constraints }) => ({
        name,
        type,
        constraints: constraints.length === 0 ? undefined : constraints,
      })),
      table_constraints: record.tableConstraints.length === 0 ? undefined : record.tableConstraints,
    },
  });
}
