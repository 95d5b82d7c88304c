// Runs a real import in a process of its own, since DuckDB must not be loaded where a front is tested.
import { spawnSync } from 'node:child_process';
import { MAIN } from './main.ts';

/** @throws Error with what the import said, where it fails */
export function runImport(source: string, data: string, ...more: readonly string[]): string {
  const args = [MAIN, 'import', source, '--data', data, ...more];
  const done = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  if (done.status !== 0) throw new Error(`import ended with ${done.status}: ${done.stderr}`);
  return done.stdout;
}
