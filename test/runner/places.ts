import { join } from 'node:path';

/** Where test files are compiled to, as a folder of the project. */
export const COMPILED: string = join('node_modules', '.cache', 'tablegate-tests');
const HERE = import.meta.dirname;
/** The project's folder, whether this file runs as it is written or compiled. */
export const ROOT: string = HERE.includes(COMPILED)
  ? HERE.slice(0, HERE.indexOf(COMPILED))
  : join(HERE, '../..');
/** What a test process loads first, with --import. */
export const REGISTER: string = join(ROOT, COMPILED, 'test', 'runner', 'register.js');
