// GET /version: what build this is.
import type { BuildInfo } from '../base/build-info.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { Route } from '../http/router.ts';

export function versionRoute(build: BuildInfo): Route {
  const { git_commit, git_branch, git_state, git_summary, build_date, binary_version } = build;
  const answer = jsonAnswer(
    JSON.stringify({ git_commit, git_branch, git_state, git_summary, build_date, binary_version }),
  );
  return { word: 'version', segments: 0, limited: false, handlers: { GET: () => answer } };
}
