// SQLite's functions that a statement may call. Every function of the pinned SQLite is here or in REFUSED; a test fails
// when an upgrade brings a name that nobody has looked at.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const CALLABLE: ReadonlySet<string> = words(`
  -> ->> abs acos acosh asin asinh atan atan2 atanh avg block_num ceil ceiling changes char coalesce concat concat_ws cos
  cosh count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor
  format glob group_concat hex if ifnull iif instr json json_array json_array_insert json_array_length
  json_error_position json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty
  json_quote json_remove json_replace json_set json_type json_valid jsonb jsonb_array jsonb_array_insert jsonb_extract
  jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
  julianday lag last_insert_rowid last_value lead length like likelihood likely ln log log10 log2 lower ltrim max median
  min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont percentile_disc pi pow power printf
  quote radians random randomblob rank replace round row_number rtrim sign sin sinh soundex sqrt strftime
  stddev stddev_pop stddev_samp string_agg substr substring sum tan tanh time timediff total total_changes trim trunc typeof unhex unicode unistr
  unistr_quote unixepoch unlikely upper var_pop var_samp variance zeroblob
`);

/** What belongs to extensions that no table here uses, tells of the build, loads code or writes to the log. */
export const REFUSED: ReadonlySet<string> = words(`
  bm25 fts3_tokenizer fts5 fts5_get_locale fts5_insttoken fts5_locale fts5_source_id geopoly_area geopoly_bbox
  geopoly_blob geopoly_ccw geopoly_contains_point geopoly_debug geopoly_group_bbox geopoly_json geopoly_overlap
  geopoly_regular geopoly_svg geopoly_within geopoly_xform highlight load_extension match matchinfo offsets optimize
  rtreecheck rtreedepth rtreenode snippet sqlite_compileoption_get sqlite_compileoption_used sqlite_log sqlite_source_id
  sqlite_version subtype
`);
