// Makes dist/ anew where it is not of the sources as they are, so that a single test run by hand tests them too.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** What `make build` writes last. */
const LAST = join(ROOT, 'dist', 'build-info.json');

/** @throws Error where the sources cannot be built */
export function build(): void {
  const built = statSync(LAST, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const src = join(ROOT, 'src');
  // Folders too: theirs is the time of a file that was removed.
  const paths = [
    src,
    ...readdirSync(src, { recursive: true, encoding: 'utf8' }).map((name) => join(src, name)),
  ];
  if (paths.every((path) => statSync(path).mtimeMs < built)) return;
  const { status, stdout, stderr } = spawnSync('make', ['build'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`make build failed:\n${stdout}${stderr}`);
}
