// The command as `make build` made it; test/run.ts sees to it that it is of these sources.
import { join } from 'node:path';

/** To be run by node itself. */
export const MAIN: string = join(import.meta.dirname, '..', '..', 'dist', 'main.js');
