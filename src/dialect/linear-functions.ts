// Functions of SQLite whose time and result are in proportion to their arguments. Patterns, searches of a text in
// another and what makes large values of small ones are none; nor are windows, which the caller has to look for.

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
