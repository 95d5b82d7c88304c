// Whether a SELECT reads from a name: a common table that reads from its own is recursive.
import { asciiLower } from '../base/ascii-lower.ts';
import type { Select, Source } from './ast.ts';

/** @param name in lower case */
export function refersTo(select: Select, name: string): boolean {
  const inSource = (source: Source | undefined): boolean => {
    switch (source?.type) {
      case undefined:
      case 'function':
        return false;
      case 'table':
        return asciiLower(source.name.text) === name;
      case 'select':
        return refersTo(source.select, name);
      case 'group':
        return inSource(source.source);
      case 'join':
        return inSource(source.left) || inSource(source.right);
    }
  };
  return [select.first, ...select.rest.map(({ core }) => core)].some(
    (core) => core.type === 'select' && inSource(core.from),
  );
}
