// Passwords of the distributed engine: each stands in a variable of the environment and is for one kind of process alone.
// Who starts another keeps them from it.

/** Of the user by whom a gateway reads, for its remote lane; and for an import of a table that stays there. */
export const TRINO_PASSWORD = 'TRINO_PASSWORD';
/** Of the user by whom a publisher makes the schemas of snapshots. */
export const LAKE_PASSWORD = 'TRINO_LAKE_PASSWORD';

export type PasswordVariable = typeof TRINO_PASSWORD | typeof LAKE_PASSWORD;

/**
 * To be the last of a child's environment: a variable that is undefined is not handed on.
 * @param own the one that it is to have
 */
export function withoutPasswords(own?: PasswordVariable): Readonly<Record<string, undefined>> {
  const kept = [TRINO_PASSWORD, LAKE_PASSWORD].filter((name) => name !== own);
  return Object.fromEntries(kept.map((name) => [name, undefined]));
}
