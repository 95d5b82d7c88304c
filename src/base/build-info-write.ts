// Writes dist/build-info.json; `make build` runs it after the compiler. Asks git, and says `unknown`
// where there is none: a source archive has no history.
import { execFileSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildInfo, packageVersion } from './build-info.ts';

export function describeBuild(folder: string, now: Date): BuildInfo {
  const root = join(folder, '..');
  const git = (...args: readonly string[]): string | undefined => {
    try {
      return execFileSync('git', args, {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    } catch {
      return undefined;
    }
  };
  // Installed inside somebody else's repository, git would describe that one.
  const top = git('rev-parse', '--show-toplevel');
  const ours = top !== undefined && realpathSync(top) === realpathSync(root);
  const ask = (...args: readonly string[]): string => (ours ? git(...args) : undefined) ?? 'unknown';
  const changes = ask('status', '--porcelain');
  return {
    git_commit: ask('rev-parse', 'HEAD'),
    git_branch: ask('rev-parse', '--abbrev-ref', 'HEAD'),
    git_state: changes === 'unknown' ? changes : changes === '' ? 'clean' : 'dirty',
    git_summary: ask('describe', '--tags', '--always', '--dirty'),
    build_date: now.toISOString(),
    binary_version: packageVersion(folder),
  };
}

if (import.meta.filename === realpathSync(process.argv[1] ?? '')) {
  const dist = join(import.meta.dirname, '..');
  const build = describeBuild(dist, new Date());
  writeFileSync(join(dist, 'build-info.json'), `${JSON.stringify(build, null, 2)}\n`);
}
