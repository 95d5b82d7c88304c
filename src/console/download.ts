// Gives the reader a file.
import { element } from './element.ts';

/** Browsers have taken the file by then. */
const TAKEN_MS = 60_000;

export function download(file: Blob, name: string): void {
  const href = URL.createObjectURL(file);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), TAKEN_MS);
}
