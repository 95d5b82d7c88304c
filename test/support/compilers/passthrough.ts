// Stands in for dialect/compile.ts where the engine is tested without the dialect: the shape is the engine's
// own SQL, with markers for literals, and each result column says its kind: `SELECT id AS "id:integer"`.
import type { ColumnKind, Compile, Template } from '../../../src/dialect/plan.ts';
import type { Schema } from '../../../src/dialect/schema.ts';

export const PRELUDE: readonly string[] = [];
export const MACROS: readonly string[] = [];

export function createCompiler(schema: Schema): Compile {
  return (shape) => {
    const names: { name: string; kind: ColumnKind }[] = [];
    for (const [, name, kind] of shape.matchAll(/\bas "([^":]*):(integer|real|text|blob|any)"/gi))
      names.push({ name: name ?? '', kind: kind as ColumnKind });
    let index = 0;
    const inner: Template = shape
      .split(/(\?[irtbn])/)
      .map((piece) => (/^\?[irtbn]$/.test(piece) ? { index: index++, as: 'value' as const } : piece));
    const columns = names.map(({ name, kind }, i) => `"${name}:${kind}" AS c${i}`).join(', ');
    const words = new Set(shape.toLowerCase().match(/[a-z_0-9]+/g));
    return {
      pins: [],
      sql: names.length === 0 ? inner : [`SELECT ${columns} FROM (`, ...inner, ')'],
      columns: names.map(({ name, kind }) => ({ name: [name], kind })),
      tables: [...words].filter((word) => schema.tables.get(word) !== undefined),
      deterministic: true,
    };
  };
}
