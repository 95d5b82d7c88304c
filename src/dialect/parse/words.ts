// Which keywords cannot be names (sqlite.org/lang_keywords.html, and the fallback list of SQLite's grammar:
// every other keyword is a name wherever the grammar does not want the keyword).

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Never a name without quotes. */
export const RESERVED = words(`add all alter and as autoincrement between case check collate commit constraint
  create default deferrable delete distinct drop else escape except exists foreign from group having in index
  insert intersect into is isnull join limit not nothing notnull null on or order primary references returning
  select set table then to transaction union unique update using values when where`);

/** Names of columns and tables, but never an alias without AS. */
export const JOIN_WORDS = words('cross full inner left natural outer right');
