// What the temporary tables of look-ups are called: statements may read them, and no client can name one.

export function seekTableName(number: number): string {
  return `tablegate_seek_${number}`;
}

export function isSeekTable(name: string): boolean {
  return /^tablegate_seek_\d+$/.test(name);
}
