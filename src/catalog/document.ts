// A table's public description, as marketplaces and the SDK read it: names and links made from a stored
// record. Order and absence of members are the reference's.
import type { TableRecord } from '../protocol.ts';

export interface Links {
  /** Public address of the gateway, without a slash at the end. */
  readonly externalUriPrefix: string;
  readonly basePath: string;
  /** '' where there is no renderer. */
  readonly animationRendererUri: string;
  readonly metadataRendererUri: string;
}

/** What the network shows for a table that has no renderer; the SDK needs an `image` of every table. */
const DEFAULT_IMAGE = 'https://bafkreifhuhrjhzbj4onqgbrmhpysk2mop2jimvdvfut6taiyzt2yqzt43a.ipfs.dweb.link';

/** JSON text of a Table. */
export function tableDocument(record: TableRecord, links: Links): string {
  const at = `${record.chainId}/${record.tableId}`;
  // JSON leaves out what is undefined, which is how the reference writes what is empty.
  return JSON.stringify({
    name: record.name,
    external_url: `${links.externalUriPrefix}${links.basePath}/tables/${at}`,
    animation_url: links.animationRendererUri === '' ? undefined : `${links.animationRendererUri}/${at}.html`,
    image: links.metadataRendererUri === '' ? DEFAULT_IMAGE : `${links.metadataRendererUri}/${at}.svg`,
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
