// How the gate says what a node of a parse tree may hold: small checks that are put together, each refusing
// what it does not know. Which nodes there are is gate.ts's.
import { GatewayError } from '../base/errors.ts';

/** Bounds of the emitted statement, which is some times larger than the client's. Beyond them the engine's planner hangs. */
const MAX_DEPTH = 400;
const MAX_TERMS = 2_000;
const MAX_NODES = 200_000;

export type Tree = { readonly [key: string]: unknown };
/** Names of common tables that can be seen from here; the outer scopes' are in it. */
export type Scope = ReadonlySet<string>;
export type Check = (value: unknown, at: Place) => void;
/** What one kind of node may hold: every key that is not here is refused. */
export type Shape = { readonly [key: string]: Check };

export interface Place {
  readonly walk: Walk;
  readonly scope: Scope;
  readonly depth: number;
  readonly selects: number;
}
export interface Walk {
  readonly tables: ReadonlySet<string>;
  readonly macros: ReadonlySet<string>;
  nodes: number;
  joins: number;
  lambdas: number;
  selects: number;
}

/** Nothing of the tree goes into the message: names in it are the emitter's. */
export function refuse(what: string): never {
  throw new GatewayError('unsupported', `the statement uses what is not allowed here: ${what}`);
}
export function tooComplex(most: number, what: string): never {
  throw new GatewayError(
    'statement-too-complex',
    `the statement has more than ${most} ${what} when it is compiled`,
  );
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
export function deeper(at: Place): Place {
  if (at.depth >= MAX_DEPTH) tooComplex(MAX_DEPTH, 'levels of nesting');
  at.walk.nodes += 1;
  if (at.walk.nodes > MAX_NODES) tooComplex(MAX_NODES, 'parts');
  return { ...at, depth: at.depth + 1 };
}

export const any: Check = () => {};
export const exactly =
  (...allowed: readonly unknown[]): Check =>
  (value) => {
    if (!allowed.includes(value)) refuse(`a clause with ${typeof value === 'string' ? value : typeof value}`);
  };
export const nothing = exactly(null, undefined, '');
export const no = exactly(false, null, undefined);
export const empty: Check = (value) => {
  if (!Array.isArray(value) || value.length > 0) refuse('a list that should be empty');
};
export const list =
  (check: Check, max = MAX_TERMS, what = 'terms'): Check =>
  (value, at) => {
    if (!Array.isArray(value)) refuse('a malformed list');
    if (value.length > max) tooComplex(max, what);
    for (const item of value) check(item, at);
  };
export const optional =
  (check: Check): Check =>
  (value, at) => {
    if (value !== null && value !== undefined) check(value, at);
  };

export function checkShape(tree: Tree, shape: Shape, at: Place): void {
  for (const [key, value] of Object.entries(tree)) {
    const check = shape[key];
    if (check === undefined) refuse(`an unknown part (${key})`);
    check(value, at);
  }
}

/** Kinds of node by the value of one of their keys. */
export const oneOf =
  (key: string, shapes: () => { readonly [kind: string]: Shape }, what: string): Check =>
  (value, at) => {
    if (!isTree(value)) refuse(`a malformed ${what}`);
    const kind = value[key];
    const known = shapes();
    const shape = typeof kind === 'string' && Object.hasOwn(known, kind) ? known[kind] : undefined;
    if (shape === undefined) refuse(`${what} ${String(kind)}`);
    checkShape(value, shape, deeper(at));
  };
