// An import that cannot go on, in one line for the operator; the program ends with exit code 1.

export class ImportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImportError';
  }
}

/** Words for what went wrong where it is the system's or an engine's doing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'the disk is full';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  const text = error.message.replace(/\s+/g, ' ').trim();
  return /no space left|disk (is )?full|Could not write all bytes/i.test(text) ? 'the disk is full' : text;
}
