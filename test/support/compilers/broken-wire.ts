// As passthrough.ts, but for a statement that has BROKEN_WIRE in it, which writes bytes that are no frame into its
// lane's socket: what a lane would do whose memory is damaged.
import { writeSync } from 'node:fs';
import type { Compile } from '../../../src/dialect/plan.ts';
import type { Schema } from '../../../src/dialect/schema.ts';
import { createCompiler as createPassthrough, MACROS, PRELUDE } from './passthrough.ts';

export { MACROS, PRELUDE };

const BROKEN = '/* broken wire */';
export const BROKEN_WIRE = `SELECT 1 AS "n:integer" ${BROKEN}`;

const SOCKET_FD = 3;

export function createCompiler(schema: Schema): Compile {
  const compile = createPassthrough(schema);
  return (shape, literals) => {
    if (shape.includes(BROKEN)) writeSync(SOCKET_FD, Buffer.alloc(64, 0xff));
    return compile(shape, literals);
  };
}
