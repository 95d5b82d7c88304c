// What build this is: read from build-info.json, which `make build` writes into dist/. Run from
// the sources, or built outside of git, what is not known is `unknown`. Nothing here is a constant in code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BuildInfo {
  readonly git_commit: string;
  readonly git_branch: string;
  /** `clean` or `dirty`. */
  readonly git_state: string;
  readonly git_summary: string;
  /** ISO 8601. */
  readonly build_date: string;
  /** Of package.json. */
  readonly binary_version: string;
}

const UNKNOWN = 'unknown';

export function readBuildInfo(folder = join(import.meta.dirname, '..')): BuildInfo {
  const found = readJson(join(folder, 'build-info.json'));
  return {
    git_commit: found['git_commit'] ?? UNKNOWN,
    git_branch: found['git_branch'] ?? UNKNOWN,
    git_state: found['git_state'] ?? UNKNOWN,
    git_summary: found['git_summary'] ?? UNKNOWN,
    build_date: found['build_date'] ?? UNKNOWN,
    binary_version: found['binary_version'] ?? packageVersion(folder),
  };
}

/** The package's root is the parent of both src/ and dist/. */
export function packageVersion(folder: string): string {
  return readJson(join(folder, '..', 'package.json'))['version'] ?? UNKNOWN;
}

function readJson(path: string): { readonly [name: string]: string } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
