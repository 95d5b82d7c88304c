// JSON paths (json1.html section 3.3): `$`, `.label`, `."label"`, `[N]`, `[#-N]`. A path is wrong only where
// the walk gets to the wrong place: SQLite 3.39 reads it while it walks.
import { GatewayError } from '../../../errors.ts';
import { eachItem, skipString } from './json-scan.ts';

export type Step =
  | { readonly type: 'label'; readonly label: string }
  | { readonly type: 'index'; readonly index: number; readonly fromEnd: boolean }
  /** `in`: what the value must be for the mistake to be met. */
  | {
      readonly type: 'mistake';
      readonly in: 'object' | 'array' | 'any';
      readonly near: string;
      /** `[#-N` without its bracket: no mistake in arrays that are shorter than N. */
      readonly least?: number;
    };

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** @throws GatewayError run-failed where it does not start with `$` */
function parse(path: string): readonly Step[] {
  if (path[0] !== '$') throw pathError(path);
  const steps: Step[] = [];
  let at = 1;
  while (at < path.length) {
    const [step, next] = path[at] === '.' ? label(path, at + 1) : bracket(path, at);
    steps.push(step);
    if (step.type === 'mistake') break;
    at = next;
  }
  return steps;
}

function label(path: string, start: number): readonly [Step, number] {
  if (path[start] === '"') {
    const end = path.indexOf('"', start + 1);
    if (end < 0) return [{ type: 'mistake', in: 'object', near: path.slice(start) }, 0];
    return [{ type: 'label', label: path.slice(start + 1, end) }, end + 1];
  }
  let end = start;
  while (end < path.length && path[end] !== '.' && path[end] !== '[') end++;
  if (end === start) return [{ type: 'mistake', in: 'object', near: path.slice(start) }, 0];
  return [{ type: 'label', label: path.slice(start, end) }, end];
}

function bracket(path: string, start: number): readonly [Step, number] {
  if (path[start] !== '[') return [{ type: 'mistake', in: 'any', near: path.slice(start) }, 0];
  let at = start + 1;
  while (isDigit(path.charCodeAt(at))) at++;
  if (at > start + 1 && path[at] === ']')
    return [{ type: 'index', index: Number(path.slice(start + 1, at)), fromEnd: false }, at + 1];
  if (path[start + 1] !== '#') return [{ type: 'mistake', in: 'any', near: path.slice(start) }, 0];
  at = start + 2;
  let index = 0;
  if (path[at] === '-' && isDigit(path.charCodeAt(at + 1))) {
    const digits = ++at;
    while (isDigit(path.charCodeAt(at))) at++;
    index = Number(path.slice(digits, at));
  }
  if (path[at] !== ']') return [{ type: 'mistake', in: 'array', near: path.slice(start), least: index }, 0];
  return [{ type: 'index', index, fromEnd: true }, at + 1];
}

export function pathError(near: string): GatewayError {
  return new GatewayError('run-failed', `JSON path error near '${near.replaceAll("'", "''")}'`);
}

const parsed = new Map<string, readonly Step[]>();

/** A path is nearly always the same for all rows. */
export function steps(path: string): readonly Step[] {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const made = parse(path);
  if (parsed.size >= 500) parsed.clear();
  parsed.set(path, made);
  return made;
}

/** Start of the value that a path leads to from the value at `root` in valid JSON; -1 where there is none. */
export function lookUp(text: string, root: number, path: string): number {
  let at = root;
  for (const step of steps(path)) {
    const container = text[at];
    if (step.type === 'mistake') {
      if (step.in === 'object' && container !== '{') return -1;
      if (step.in === 'array' && (container !== '[' || count(text, at) < (step.least ?? 0))) return -1;
      throw pathError(step.near);
    }
    at = step.type === 'label' ? member(text, at, step.label) : item(text, at, step.index, step.fromEnd);
    if (at < 0) return -1;
  }
  return at;
}

/** Labels are compared as written, escapes and all; the first of equal ones counts. */
function member(text: string, start: number, wanted: string): number {
  if (text[start] !== '{') return -1;
  let found = -1;
  eachItem(text, start, (value, at) => {
    if (!text.startsWith(wanted, at + 1) || skipString(text, at) !== at + wanted.length + 2) return false;
    found = value;
    return true;
  });
  return found;
}

/** Items of an array. */
export function count(text: string, start: number): number {
  let length = 0;
  eachItem(text, start, () => {
    length++;
    return false;
  });
  return length;
}

function item(text: string, start: number, index: number, fromEnd: boolean): number {
  if (text[start] !== '[') return -1;
  let wanted = index;
  if (fromEnd) {
    wanted = count(text, start) - index;
    if (wanted < 0) return -1;
  }
  let found = -1;
  let at = 0;
  eachItem(text, start, (value) => {
    if (at++ !== wanted) return false;
    found = value;
    return true;
  });
  return found;
}

/** The right side of -> and ->>: a path, or a label or index in short (json1.html section 4.7). */
export function arrowPath(given: string): string {
  if (given[0] === '$') return given;
  if (isDigit(given.charCodeAt(0))) return `$[${given}]`;
  return given[0] === '[' ? `$${given}` : `$.${given}`;
}
