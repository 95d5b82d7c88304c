// One statement's resolution: what its parts share, and how expressions, selects and sources reach each other without
// importing each other. State only.
import type { Literal } from '../../wire/protocol.ts';
import type * as ast from '../ast.ts';
import { nameText, uniqueNames } from '../names.ts';
import type { Template } from '../plan.ts';
import type { Schema } from '../schema.ts';
import { nameKey } from './name.ts';
import type { Scope } from './scope.ts';
import type { Column, Expression, Relation, ResultColumn, Select } from './tree.ts';

/** The two halves of the one circle: expressions hold selects, selects hold expressions. */
export interface Language {
  readonly expression: (node: ast.Expression, scope: Scope, resolver: Resolver) => Expression;
  readonly select: (select: ast.Select, scope: Scope | undefined, resolver: Resolver) => Select;
}

export class Resolver {
  readonly schema: Pick<Schema, 'tables'>;
  readonly literals: readonly Literal[];
  /** Literals whose values decided what a name stands for: see Plan.pins. */
  readonly pins = new Set<number>();
  readonly #language: Language;

  constructor(schema: Pick<Schema, 'tables'>, literals: readonly Literal[], language: Language) {
    this.schema = schema;
    this.literals = literals;
    this.#language = language;
  }

  expression(node: ast.Expression, scope: Scope): Expression {
    return this.#language.expression(node, scope, this);
  }

  select(select: ast.Select, scope: Scope | undefined): Select {
    return this.#language.select(select, scope, this);
  }

  pin(index: number): Literal {
    this.pins.add(index);
    const literal = this.literals[index];
    if (literal === undefined) throw new Error(`no literal ${index}`);
    return literal;
  }

  /** A query in a FROM clause. */
  relation(columns: readonly Pick<ResultColumn, 'name' | 'innerName'>[], key: string | undefined): Relation {
    const { names, pins } = uniqueNames(
      columns.map((column) => column.innerName ?? column.name),
      this.literals,
    );
    for (const pin of pins) this.pin(pin);
    return makeRelation(key, (owner) => ({
      columns: names.map((name, place) => ({
        name,
        key: plainKey(name),
        literalKey: () => this.#literalKey(name),
        owner,
        origin: { type: 'made', place },
      })),
      rowid: undefined,
    }));
  }

  /** The key of a name with literals in it; makes the plan one for their values. */
  #literalKey(name: Template): string {
    for (const part of name) if (typeof part !== 'string') this.pin(part.index);
    return nameKey(nameText(name, this.literals));
  }
}

function plainKey(name: Template): string | undefined {
  return name.every((part) => typeof part === 'string') ? nameKey(name.join('')) : undefined;
}

/** Columns know their relation, and the relation its columns. */
export function makeRelation(
  key: string | undefined,
  makeColumns: (owner: Relation) => {
    readonly columns: readonly Column[];
    readonly rowid: Column | undefined;
  },
): Relation {
  const relation = {
    key,
    columns: [] as readonly Column[],
    rowid: undefined as Column | undefined,
    merged: new Set<string>(),
    join: 'inner' as const,
    mergedColumns: new Map<string, Column>(),
  };
  return Object.assign(relation, makeColumns(relation));
}
