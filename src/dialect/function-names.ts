// The names of all functions that statements may call, whichever engine runs them: what is not here is no function.

import { asciiLower } from '../base/ascii-lower.ts';
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(
  `abs avg block_num coalesce count format group_concat iif if ifnull likelihood likely max min nullif quote random round
   sign string_agg sum total typeof unlikely
   char concat concat_ws glob hex instr length like lower ltrim octet_length printf replace rtrim soundex substr substring
   trim unhex unicode unistr unistr_quote upper zeroblob changes last_insert_rowid randomblob total_changes
   json_array_insert json_error_position json_pretty jsonb jsonb_array jsonb_array_insert jsonb_extract jsonb_group_array
   jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set
   json json_array json_array_length json_extract json_group_array json_group_object json_insert json_object json_patch
   json_quote json_remove json_replace json_set json_type json_valid
   current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch
   acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power radians
   sin sinh sqrt tan tanh trunc
   median percentile percentile_cont percentile_disc stddev stddev_pop stddev_samp var_pop var_samp variance
   cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number`.split(
    /\s+/,
  ),
);

export function isFunction(name: string): boolean {
  return FUNCTION_NAMES.has(asciiLower(name));
}
