// The examples of a page of docs/: boxes of a language, each with the box of plain text that says what it prints.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const LANGUAGES = ['sh', 'js', 'sql', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Example {
  readonly language: Language;
  /** Where it stands in the page. */
  readonly line: number;
  readonly code: string;
  /** Undefined where nothing is promised. */
  readonly prints: string | undefined;
}

/** Where examples look for the gateway. */
export const ADDRESS = 'http://127.0.0.1:8080';

export function readExamples(path: string): readonly Example[] {
  const page = readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8');
  return [...page.matchAll(/^```(sh|js|sql|python)\n([\s\S]*?)^```\n(?:```text\n([\s\S]*?)^```\n)?/gm)].map(
    ({ 1: language, 2: code = '', 3: prints, index }) => ({
      language: language as Language,
      line: page.slice(0, index).split('\n').length,
      code,
      prints,
    }),
  );
}
