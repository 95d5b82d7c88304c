// The last look at SQL for Trino before it leaves: every word, name and sign of it must be one that the rules are known
// to write. Reads tokens and knows nothing of the statement: a rule that lets something else through is stopped here.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** All that may stand before a parenthesis in the place of a function. What reads more than its arguments is not here. */
const FUNCTIONS = words(`
  abs any_value array_agg array_join bitwise_and bitwise_left_shift bitwise_not bitwise_or
  bitwise_right_shift_arithmetic bool_and bool_or ceil chr codepoint concat_ws count cume_dist date_add date_diff
  date_format date_trunc day_of_week day_of_year dense_rank element_at fail filter first_value floor format from_hex
  greatest is_nan lag last_value lead least length log10 lower lpad max min min_by nth_value ntile percent_rank pi pow
  rank regexp_like replace row_number sqrt starts_with strpos substr substring sum to_hex to_utf8 transform translate
  trim truncate upper`);
const KEYWORDS = words(`
  ALL AND ARRAY AS ASC AT BETWEEN BOTH BY CASE CAST COALESCE CROSS CURRENT DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS FALSE
  FILTER FIRST FOLLOWING FROM FULL GROUP GROUPS IN INTERSECT IS JOIN LAST LEADING LEFT LIKE LIMIT NOT NULL NULLIF
  NULLS OFFSET ON OR ORDER OVER PARTITION PRECEDING RANGE RIGHT ROW ROWS SELECT THEN TIME TRAILING TRUE TRY_CAST UNBOUNDED
  UNION VALUES WHEN WHERE WITH ZONE current_timestamp
  BIGINT BOOLEAN DECIMAL DOUBLE INTEGER TIMESTAMP VARBINARY VARCHAR`);
/** Names of ours, for tables, columns and values. */
const OWN = /^[a-z]\d*[bw]?$/;
const TOKEN =
  /\s+|('(?:[^']|'')*')|("(?:[^"]|"")*"(?:\."(?:[^"]|"")*")*)|(\d+(?:\.\d*)?(?:e[+-]?\d+)?\b)|([A-Za-z_]\w*)|\|\||->|<>|<=|>=|[-+*/%<>=(),.[\]]/y;
/** Trino's own bound of a query's text; and what its parser takes without an end of its stack. */
const MAX_CHARACTERS = 1_000_000;
const MAX_DEPTH = 400;

/**
 * @param names the quoted names that may stand there, with dots between their parts
 * @returns what does not belong there
 */
export function checkRemote(text: string, names: ReadonlySet<string>): string | undefined {
  if (text.length > MAX_CHARACTERS) return 'a statement of so many parts';
  if (!/^(?:SELECT|WITH) /.test(text)) return 'what is no SELECT';
  // On its way it would become another text.
  if (/\p{Surrogate}/u.test(text)) return 'a text that is no Unicode';
  TOKEN.lastIndex = 0;
  let depth = 0;
  let before = '';
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) return `the sign ${text[at]}`;
    const [token, , name, , word] = found;
    // Two signs that would begin a comment.
    if ((before === '-' && token === '-') || (before === '/' && token === '*')) return 'a comment';
    before = token;
    if (token === '(' && ++depth > MAX_DEPTH) return 'a statement of so many parts';
    if (token === ')' && --depth < 0) return 'a parenthesis';
    if (name !== undefined && !names.has(name) && !OWN.test(name.slice(1, -1))) return 'a name';
    if (word !== undefined && !isKnown(word, text[TOKEN.lastIndex] === '('))
      return `the word ${word.slice(0, 40)}`;
  }
  return depth === 0 ? undefined : 'a parenthesis';
}

function isKnown(word: string, called: boolean): boolean {
  return KEYWORDS.has(word) || (called ? FUNCTIONS.has(word) || OWN.test(word) : OWN.test(word));
}
