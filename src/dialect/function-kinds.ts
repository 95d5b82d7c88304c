// What functions of SQLite are like, by their names: how long they take, and what their answers depend on.

/**
 * Their time and their result are in proportion to their arguments. Patterns, searches of a text in another and what makes
 * large values of small ones are none; nor are windows, which the caller has to look for.
 */
export const LINEAR_FUNCTIONS: ReadonlySet<string> = new Set(
  `
  -> ->> abs acos acosh asin asinh atan atan2 atanh avg block_num ceil ceiling coalesce concat concat_ws cos cosh count
  date datetime degrees exp floor group_concat if ifnull iif json json_array json_array_length json_extract
  json_group_array json_group_object json_insert json_object json_quote json_remove json_replace json_set json_type
  json_valid julianday length likelihood likely ln log log10 log2 lower max min mod nullif octet_length pi pow power
  radians round sign sin sinh sqrt strftime string_agg substr substring sum tan tanh time total trunc typeof unicode
  unixepoch unlikely upper
`
    .trim()
    .split(/\s+/),
);

/** Parts of expressions that take as long as a call. */
export const CALL_PARTS = 8;
/** Of a function of JSON, calls that each path but the first counts for. */
export const PATH_CALLS = 4;
/** Functions of JSON that go through their first argument once for each path that follows. */
export const PATH_FUNCTIONS: ReadonlySet<string> = new Set(
  'json_extract json_insert json_remove json_replace json_set json_type json_array_length'.split(' '),
);

/** Functions that take about as long as a comparison does, where their values are small. */
export const QUICK_FUNCTIONS: ReadonlySet<string> = new Set(
  'abs avg coalesce count if ifnull iif length likelihood likely max min nullif round sign sum total typeof unlikely'.split(
    ' ',
  ),
);

/** Functions whose answer changes from call to call. */
export const VOLATILE: ReadonlySet<string> = new Set([
  'random',
  'randomblob',
  'changes',
  'total_changes',
  'last_insert_rowid',
]);
/** Functions that can give bytes that are no text of arguments that are texts. */
export const BYTE_MAKERS: ReadonlySet<string> = new Set([
  'char',
  'unhex',
  'unistr',
  'zeroblob',
  'randomblob',
]);
/** Without a length, these take the limit of a value for it, which is lower where SQLite runs in the front. */
export const SUBSTRINGS: ReadonlySet<string> = new Set(['substr', 'substring']);
/** Functions that make a value far larger than what they are given. */
export const EXPANDING: ReadonlySet<string> = new Set(
  'replace hex zeroblob randomblob printf format quote json_pretty'.split(' '),
);
/** How many arguments come before the time value; without it, it is now. */
export const CLOCK_FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['date', 0],
  ['time', 0],
  ['datetime', 0],
  ['julianday', 0],
  ['unixepoch', 0],
  ['strftime', 1],
  ['timediff', 0],
]);
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['json_each', 'json_tree']);
