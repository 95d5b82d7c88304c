// One request of the differential suite and how it goes over the wire. Knows nothing of answers.

/** A request in full, or only its statement (a GET with nothing else). */
export type Case = string | CaseRequest;

export interface CaseRequest {
  readonly statement?: string;
  /** Repeated in a GET, each as its raw text. */
  readonly params?: readonly string[];
  readonly format?: string;
  readonly extract?: string;
  readonly unwrap?: string;
  /** The whole JSON body of a POST instead of the members above; a string is sent as it is. */
  readonly post?: unknown;
  /** Path (and query) below the base path instead of `/query`. */
  readonly path?: string;
  /**
   * Positions of the result columns that ORDER BY sorts by, where ties leave the rest open: only these are
   * then compared in order. Without it, a statement with ORDER BY must give its rows in the same order.
   */
  readonly sorted?: readonly number[];
}

export interface Wire {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | undefined;
}

export function wireOf(test: Case): Wire {
  const request = typeof test === 'string' ? { statement: test } : test;
  if (request.path !== undefined) return { method: 'GET', path: request.path, body: undefined };
  if (request.post !== undefined) {
    const body = typeof request.post === 'string' ? request.post : JSON.stringify(request.post);
    return { method: 'POST', path: '/query', body };
  }
  const query = new URLSearchParams();
  if (request.statement !== undefined) query.append('statement', request.statement);
  for (const name of ['format', 'extract', 'unwrap'] as const) {
    const value = request[name];
    if (value !== undefined) query.append(name, value);
  }
  for (const param of request.params ?? []) query.append('params', param);
  return { method: 'GET', path: `/query?${query}`, body: undefined };
}

/** The text that a case is known by: in the report and in differences.ts. */
export function nameOf(test: Case): string {
  if (typeof test === 'string') return test;
  if (test.path !== undefined) return `GET ${test.path}`;
  if (test.post !== undefined)
    return `POST ${typeof test.post === 'string' ? test.post : JSON.stringify(test.post)}`;
  const { statement, sorted: _, ...rest } = test;
  return `${statement ?? '(no statement)'} ${JSON.stringify(rest)}`;
}

/** The statement a case sends, as far as it sends one. */
export function statementOf(test: Case): string {
  if (typeof test === 'string') return test;
  if (test.statement !== undefined) return test.statement;
  const post = test.post;
  if (typeof post === 'object' && post !== null && 'statement' in post) return String(post.statement);
  return '';
}
