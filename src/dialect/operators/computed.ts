// Makes typed values: the short way to say what a piece of SQL is. No rule lives here.
import type { Template } from '../plan.ts';
import { ANY_TYPE, type Kind, sql, type Value } from '../value.ts';

/** A computed value: no affinity and no collation (datatype3.html section 3.2). */
export function computed(kind: Kind, text: Template, notNull = false): Value {
  return { sql: text, kind, affinity: 'none', collation: undefined, simple: false, notNull };
}

export const NULL_VALUE: Value = {
  sql: ['NULL'],
  kind: 'null',
  affinity: 'none',
  collation: undefined,
  simple: true,
  notNull: false,
};

/** An integer that the rules themselves write. */
export function integerConstant(value: number): Value {
  return {
    sql: [`CAST(${value} AS BIGINT)`],
    kind: 'integer',
    affinity: 'none',
    collation: undefined,
    simple: true,
    notNull: true,
  };
}

export type Member = 'integer' | 'real' | 'text' | 'blob';

/** Each kind's member of the engine's union, and its type. */
export const MEMBERS: Readonly<Record<Member, { readonly tag: string; readonly type: string }>> = {
  integer: { tag: 'i', type: 'BIGINT' },
  real: { tag: 'r', type: 'DOUBLE' },
  text: { tag: 't', type: 'VARCHAR' },
  blob: { tag: 'b', type: 'BLOB' },
};
export const MEMBER_KINDS = Object.keys(MEMBERS) as readonly Member[];

/** The engine's type for values of a kind. */
export const ENGINE_TYPE: Readonly<Record<Kind, string>> = {
  integer: 'BIGINT',
  real: 'DOUBLE',
  text: 'VARCHAR',
  blob: 'BLOB',
  boolean: 'BOOLEAN',
  any: ANY_TYPE,
  null: 'BIGINT',
};

/** The member of a union, under the condition that the union's tag is that one. */
export function member(x: Value, kind: Member): Value {
  return {
    ...x,
    sql: sql`union_extract(${x.sql}, '${MEMBERS[kind].tag}')`,
    kind,
  };
}

/** A NULL of a kind. */
export function nullOf(kind: Kind): Value {
  return { ...NULL_VALUE, kind, sql: [`CAST(NULL AS ${ENGINE_TYPE[kind]})`] };
}

/** One branch for each storage class of an `any`; NULL stays NULL. */
export function byClass(x: Value, build: (typed: Value) => Template): Template {
  const branches = MEMBER_KINDS.map(
    (kind) => sql` WHEN '${MEMBERS[kind].tag}' THEN ${build(member(x, kind))}`,
  );
  return sql`CASE union_tag(${x.sql})${branches.flat()} END`;
}
