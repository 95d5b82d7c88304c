// json_each and json_tree (json1.html section 4.25): the rows of a JSON text, as one text that the emitted SQL
// takes apart. No field can hold the separators: raw JSON has no control characters.
import { lookUp, steps } from './json-path.ts';
import { eachItem, jsonStart, skipString } from './json-scan.ts';
import { minify } from './json-text.ts';
import { bound } from './text.ts';

/** Between rows, and between the fields of a row: key, value, id, parent, fullkey, path. */
const ROW = '\x1e';
const FIELD = '\x1f';

/** A label that is a plain name stands without quotes (json.c jsonAppendObjectPathElement). */
function element(label: string): string {
  return /^"[A-Za-z][A-Za-z0-9]*"$/.test(label) ? `.${label.slice(1, -1)}` : `.${label}`;
}

class Rows {
  readonly #parts: string[] = [];
  #size = 0;

  add(...fields: readonly (string | number)[]): void {
    const row = fields.join(FIELD);
    this.#size += row.length + 1;
    bound(this.#size);
    this.#parts.push(row);
  }

  text(): string | null {
    return this.#parts.length === 0 ? null : this.#parts.join(ROW);
  }
}

const isContainer = (text: string, at: number): boolean => text[at] === '{' || text[at] === '[';

/** NULL: no rows. */
export function eachRows(text: string, path: string): string | null {
  const start = jsonStart(text);
  const root = lookUp(text, start, path);
  if (root < 0) return null;
  const rows = new Rows();
  if (!isContainer(text, root)) {
    rows.add('', minify(text, root), 0, '', path, path);
    return rows.text();
  }
  let index = 0;
  let id = 0;
  eachItem(text, root, (value, label) => {
    const name = label < 0 ? undefined : text.slice(label, skipString(text, label));
    id += name === undefined ? 1 : 2;
    const key = name ?? index;
    rows.add(
      key,
      minify(text, value),
      id,
      '',
      path + (name === undefined ? `[${index}]` : element(name)),
      path,
    );
    id += size(text, value);
    index++;
    return false;
  });
  return rows.text();
}

/** Nodes under a value, labels included: ids count them all. */
function size(text: string, at: number): number {
  let nodes = 0;
  if (!isContainer(text, at)) return 0;
  eachItem(text, at, (value, label) => {
    nodes += (label < 0 ? 1 : 2) + size(text, value);
    return false;
  });
  return nodes;
}

export function treeRows(text: string, path: string): string | null {
  const start = jsonStart(text);
  const root = lookUp(text, start, path);
  if (root < 0) return null;
  const rows = new Rows();
  let next = 0;
  const visit = (
    at: number,
    key: string | number,
    parent: number | '',
    fullKey: string,
    above: string,
  ): void => {
    const id = next++;
    rows.add(key, minify(text, at), id, parent, fullKey, above);
    if (!isContainer(text, at)) return;
    let index = 0;
    eachItem(text, at, (value, label) => {
      if (label < 0) {
        visit(value, index, id, `${fullKey}[${index}]`, fullKey);
        index++;
        return false;
      }
      const name = text.slice(label, skipString(text, label));
      next++;
      visit(value, name, id, fullKey + element(name), fullKey);
      return false;
    });
  };
  visit(root, lastKey(path), '', path, parentPath(path));
  return rows.text();
}

/** The key of the value that a path leads to, as JSON; empty for the whole. */
function lastKey(path: string): string {
  const last = steps(path).at(-1);
  if (last === undefined || last.type === 'mistake') return '';
  return last.type === 'label' ? JSON.stringify(last.label) : String(last.index);
}

/** A path without its last step. */
function parentPath(path: string): string {
  const last = steps(path).at(-1);
  if (last === undefined || last.type === 'mistake') return path;
  if (last.type === 'index') return path.slice(0, path.lastIndexOf('['));
  const end = path.endsWith('"') ? path.lastIndexOf('."') : path.lastIndexOf('.');
  return path.slice(0, end);
}
