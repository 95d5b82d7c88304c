// json_insert, json_replace, json_set, json_remove and json_patch (json1.html sections 4.5 to 4.10), on a tree
// that is marked and then written, as SQLite 3.39 does: marks decide what later paths of the same call see.
import { pathError, type Step, steps } from './json-path.ts';
import { eachItem, jsonStart, skipString, skipValue } from './json-scan.ts';
import { quoteText, valueJson } from './json-text.ts';
import type { SqlValue } from './number-text.ts';

interface Member {
  /** With its quotes, as written. */
  readonly label: string;
  readonly node: Node;
}

interface Node {
  /** Of a leaf: its JSON. */
  readonly leaf: string | undefined;
  readonly members: Member[] | undefined;
  readonly items: Node[] | undefined;
  removed: boolean;
  /** What stands in its place. */
  replaced: Change | undefined;
  patched: Node | undefined;
}

function node(leaf: string | undefined, members?: Member[], items?: Node[]): Node {
  return { leaf, members, items, removed: false, replaced: undefined, patched: undefined };
}

function tree(text: string, start: number): Node {
  const open = text[start];
  if (open === '{') {
    const members: Member[] = [];
    eachItem(text, start, (value, label) => {
      members.push({ label: text.slice(label, skipString(text, label)), node: tree(text, value) });
      return false;
    });
    return node(undefined, members);
  }
  if (open === '[') {
    const items: Node[] = [];
    eachItem(text, start, (value) => {
      items.push(tree(text, value));
      return false;
    });
    return node(undefined, undefined, items);
  }
  return node(text.slice(start, skipValue(text, start)));
}

function write(given: Node, out: string[]): void {
  if (given.replaced !== undefined) {
    out.push(valueJson(given.replaced.value, given.replaced.json));
    return;
  }
  const shown = given.patched ?? given;
  if (shown !== given) {
    write(shown, out);
    return;
  }
  if (given.leaf !== undefined) {
    out.push(given.leaf);
    return;
  }
  let separator = given.members === undefined ? '[' : '{';
  const open = separator;
  for (const entry of given.members ?? given.items ?? []) {
    const child = 'label' in entry ? entry.node : entry;
    if (child.removed) continue;
    out.push(separator);
    separator = ',';
    if ('label' in entry) out.push(entry.label, ':');
    write(child, out);
  }
  if (separator !== ',') out.push(open);
  out.push(open === '{' ? '}' : ']');
}

function json(root: Node): string {
  const out: string[] = [];
  write(root, out);
  return out.join('');
}

interface Found {
  readonly node: Node;
  readonly added: boolean;
}

/** Walks a path; with `add`, what is missing at its end is made. */
function find(root: Node, path: readonly Step[], add: boolean): Found | undefined {
  let at = root;
  for (const [i, step] of path.entries()) {
    if (at.replaced !== undefined) return undefined;
    if (step.type === 'mistake') {
      if (step.in === 'object' && at.members === undefined) return undefined;
      if (step.in === 'array' && (at.items === undefined || at.items.length < (step.least ?? 0)))
        return undefined;
      throw pathError(step.near);
    }
    if (step.type === 'label') {
      const { members } = at;
      if (members === undefined) return undefined;
      const next = members.find(
        ({ label }) => label.length === step.label.length + 2 && label.slice(1, -1) === step.label,
      );
      if (next === undefined) {
        const made = add ? make(path.slice(i + 1)) : undefined;
        if (made === undefined) return undefined;
        members.push({ label: quoteText(step.label), node: made.top });
        return { node: made.end, added: true };
      }
      at = next.node;
      continue;
    }
    const { items } = at;
    if (items === undefined) return undefined;
    const present = items.filter((item) => !item.removed);
    const index = step.fromEnd ? present.length - step.index : step.index;
    if (index < 0) return undefined;
    const next = present[index];
    if (next === undefined) {
      const made = add && index === present.length ? make(path.slice(i + 1)) : undefined;
      if (made === undefined) return undefined;
      items.push(made.top);
      return { node: made.end, added: true };
    }
    at = next;
  }
  return { node: at, added: false };
}

/** Objects and arrays for the rest of a path; arrays only by their first item. */
function make(path: readonly Step[]): { readonly top: Node; readonly end: Node } | undefined {
  const [step, ...rest] = path;
  if (step === undefined) {
    const end = node('null');
    return { top: end, end };
  }
  if (step.type === 'mistake') {
    if (step.in === 'object') throw pathError(step.near);
    return undefined;
  }
  if (step.type === 'index' && (step.fromEnd || step.index !== 0)) return undefined;
  const inner = make(rest);
  if (inner === undefined) return undefined;
  const top =
    step.type === 'label'
      ? node(undefined, [{ label: quoteText(step.label), node: inner.top }])
      : node(undefined, undefined, [inner.top]);
  return { top, end: inner.end };
}

export interface Change {
  readonly path: string;
  readonly value: SqlValue;
  /** The value is JSON already. */
  readonly json: boolean;
}

export type Mode = 'insert' | 'replace' | 'set';

function edited(text: string, mode: Mode, changes: readonly Change[]): Node {
  const root = tree(text, jsonStart(text));
  for (const change of changes) {
    const found = find(root, steps(change.path), mode !== 'replace');
    if (found === undefined || (mode === 'insert' && !found.added)) continue;
    found.node.replaced = change;
  }
  return root;
}

/** The whole value replaced gives the SQL value itself; else it is JSON text. */
export function edit(text: string, mode: Mode, changes: readonly Change[]): SqlValue {
  const root = edited(text, mode, changes);
  return root.replaced === undefined ? json(root) : root.replaced.value;
}

/** The same as JSON functions embed it: a plain text in place of the whole is a JSON string. */
export const editJson = (text: string, mode: Mode, changes: readonly Change[]): string =>
  json(edited(text, mode, changes));

/** NULL where the whole value is removed. */
export function remove(text: string, paths: readonly string[]): string | null {
  const root = tree(text, jsonStart(text));
  for (const path of paths) {
    const found = find(root, steps(path), false);
    if (found !== undefined) found.node.removed = true;
  }
  return root.removed ? null : json(root);
}

const isNull = (given: Node): boolean => given.leaf === 'null';

function removeNulls(given: Node): void {
  for (const { node: child } of given.members ?? []) {
    if (isNull(child)) child.removed = true;
    else removeNulls(child);
  }
}

/** RFC 7396 */
function merge(target: Node, patch: Node): Node {
  if (patch.members === undefined) return patch;
  if (target.members === undefined) {
    removeNulls(patch);
    return patch;
  }
  // The first of equal labels counts.
  const own = new Map<string, Node>();
  for (const { label, node: member } of target.members) if (!own.has(label)) own.set(label, member);
  for (const { label, node: change } of patch.members) {
    const current = own.get(label);
    if (current === undefined) {
      if (isNull(change)) continue;
      removeNulls(patch);
      target.members.push({ label, node: change });
      continue;
    }
    if (current.removed || current.patched !== undefined) continue;
    if (isNull(change)) current.removed = true;
    else {
      const merged = merge(current, change);
      if (merged !== current) current.patched = merged;
    }
  }
  return target;
}

export function patch(text: string, change: string): string {
  const target = tree(text, jsonStart(text));
  return json(merge(target, tree(change, jsonStart(change))));
}
