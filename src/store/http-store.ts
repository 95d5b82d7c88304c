// A web server as a store: GET for replicas; PUT, HEAD and DELETE, as WebDAV has them, for publishers. It can list
// nothing, and need not keep conditions.
import type { Store } from './store.ts';
import { webStore } from './web-store.ts';

/** @param authorization a header; '' for none */
export function httpStore(address: string, authorization: string): Store {
  const own = authorization === '' ? {} : { authorization };
  return {
    ...webStore({
      name: address,
      isConditional: false,
      send: ({ method, path, headers, body, signal }) =>
        fetch(`${address}/${path}`, {
          ...{ method, signal, redirect: 'manual', headers: { ...headers, ...own } },
          ...(body === undefined ? {} : { body }),
        }),
    }),
    listParts: undefined,
  };
}
