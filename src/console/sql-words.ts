// The words of the gateway's SQL, and a tokenizer that colours them. No grammar: what a statement means is the
// gateway's matter. No DOM.
import type { StreamParser } from '@codemirror/language';

const list = (words: string): readonly string[] => words.split(' ');

export const KEYWORDS: readonly string[] = list(
  'select from where group by having order limit offset join inner left right full outer cross natural on using ' +
    'as distinct all and or not in is null like glob between exists case when then else end cast collate ' +
    'union intersect except values with recursive asc desc nulls first last filter over partition rows range ' +
    'groups preceding following unbounded current row window escape isnull notnull true false',
);

export const FUNCTIONS: readonly string[] = list(
  'abs avg char coalesce count date datetime format glob group_concat hex ifnull iif instr json json_array ' +
    'json_array_length json_each json_extract json_group_array json_group_object json_object json_patch json_quote ' +
    'json_remove json_replace json_set json_tree json_type json_valid length lower ltrim max min nullif printf ' +
    'quote replace round row_number rank dense_rank rtrim sign strftime substr sum time total trim typeof unicode ' +
    'unhex upper zeroblob',
);

const isKeyword: ReadonlySet<string> = new Set(KEYWORDS);

/** A name as SQL spells it. */
export function spelled(name: string): string {
  const plain = /^[a-z_]\w*$/i.test(name) && !isKeyword.has(name.toLowerCase());
  return plain ? name : `"${name.replaceAll('"', '""')}"`;
}

interface State {
  /** What ends the comment, text or name that goes on over lines. */
  until: keyof typeof REST | undefined;
}

/** Up to its end: a quote that is doubled is none. */
const REST = {
  '*/': /^.*?\*\//,
  "'": /^(?:[^']|'')*'(?!')/,
  '"': /^(?:[^"]|"")*"(?!")/,
  '`': /^(?:[^`]|``)*`(?!`)/,
  ']': /^[^\]]*\]/,
} as const;

export const sqlTokens: StreamParser<State> = {
  name: 'sql',
  startState: () => ({ until: undefined }),
  copyState: ({ until }) => ({ until }),
  token(stream, state) {
    if (state.until === undefined) {
      if (stream.eatSpace()) return null;
      if (stream.match('/*')) state.until = '*/';
      else if (stream.match(/^(?:x(?='))?['"`[]/i))
        state.until = stream.current().at(-1) === '[' ? ']' : (stream.current().at(-1) as "'");
    }
    const { until } = state;
    if (until !== undefined) {
      if (stream.match(REST[until])) state.until = undefined;
      else stream.skipToEnd();
      if (until === '*/') return 'comment';
      return until === "'" ? 'string' : 'variableName';
    }
    if (stream.match(/^--.*/)) return 'comment';
    if (stream.match(/^(?:0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/i)) return 'number';
    const word = stream.match(/^[\p{L}_$][\p{L}\p{N}_$]*/u) as RegExpMatchArray | null;
    if (word !== null) {
      const name = word[0].toLowerCase();
      if (isKeyword.has(name)) return 'keyword';
      return stream.peek() === '(' ? 'typeName' : 'variableName';
    }
    if (stream.match('?')) return 'number';
    stream.next();
    return 'operator';
  },
};
