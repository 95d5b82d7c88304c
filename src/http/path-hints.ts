// What is said of a path that is not there: where the API is, and which of its paths was likely meant. Repeats nothing of
// what was asked for.
import { GatewayError } from '../base/errors.ts';
import { nearestName } from '../base/near-name.ts';
import type { Route } from './router.ts';

/** Nothing of what is longer is looked at. */
const LOOKED_AT = 200;

/** @returns the error for a path; it costs the same whatever the path is */
export function createPathHints(basePath: string, routes: readonly Route[]): (path: string) => GatewayError {
  const words = [...new Set(routes.map(({ word }) => word).filter((word) => word !== ''))];
  const start = `The API is at ${basePath === '' ? '/' : basePath}; GET ${basePath}/docs describes it.`;
  return (path) => {
    const near = path
      .slice(0, LOOKED_AT)
      .split('/')
      .map((segment) => nearestName(segment, words))
      .find((word) => word !== undefined);
    return new GatewayError(
      'not-found',
      'There is no such path; the operations are listed in the documentation.',
      { hint: near === undefined ? start : `${start} Did you mean ${basePath}/${near}?` },
    );
  };
}
