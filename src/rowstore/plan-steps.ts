// Lines of EXPLAIN QUERY PLAN, as far as they say how many rows are visited. Most are those of other statements to the
// letter: each is read once.
import { asciiLower } from '../base/ascii-lower.ts';
import { createShapeCache } from '../base/cache.ts';

/** Of an index, or of the rowid. */
export interface Search {
  /** The table, in lower case, as the plan calls it. */
  readonly called: string;
  /** The index is made for this statement alone. */
  readonly automatic: boolean;
  /** By an index or a primary key; else by the rowid. */
  readonly indexed: boolean;
  /** Undefined: for the first or the last row of an index. */
  readonly terms: string | undefined;
  /** Columns that are searched by equality. */
  readonly equal: readonly string[];
}

export interface Step {
  /** Its rows are made first, and called so: a subquery of FROM or a common table. In lower case. */
  readonly made: string | undefined;
  /** The first word behind SCAN and SEARCH, in lower case; '' where it is no loop. */
  readonly loop: string;
  /** Several searches in one loop: the branches are below it. */
  readonly or: boolean;
  /** Rows that are written in the statement itself. */
  readonly constants: number | undefined;
  /** The table whose rows are all looked at, as the plan calls it, in lower case. */
  readonly scan: string | undefined;
  /** `unbounded`: one that no bound is known of. */
  readonly search: Search | 'unbounded' | undefined;
  readonly list: boolean;
  readonly subquery: boolean;
  readonly correlated: boolean;
  /** Of a recursion. */
  readonly endless: boolean;
}

const steps = createShapeCache<Step>(2_000);

/** @param detail of a line */
export function stepOf(detail: string): Step {
  let step = steps.get(detail);
  if (step === undefined) {
    step = read(detail);
    steps.set(detail, step);
  }
  return step;
}

function read(detail: string): Step {
  const constants = CONSTANTS.exec(detail);
  const scan = constants === null ? SCAN.exec(detail)?.[1] : undefined;
  return {
    made: lower(MADE.exec(detail)?.[1]),
    loop: lower(LOOP.exec(detail)?.[1]) ?? '',
    or: detail === 'MULTI-INDEX OR',
    constants: constants === null ? undefined : Number(constants[1] ?? 1),
    scan: lower(scan),
    search: detail.startsWith('SEARCH') ? searchOf(detail) : undefined,
    list: LIST.test(detail),
    subquery: SUBQUERY.test(detail),
    correlated: detail.startsWith('CORRELATED'),
    endless: detail === 'RECURSIVE STEP' || detail === 'SETUP',
  };
}

function searchOf(detail: string): Step['search'] {
  const found = SEARCH.exec(detail);
  if (found === null) return 'unbounded';
  const [, called = '', automatic, index, primary, terms] = found;
  const equal = (terms?.split(' AND ') ?? [])
    .filter((term) => term.endsWith('=?') && !/[<>]/.test(term))
    .map((term) => term.slice(0, -2));
  return {
    called: asciiLower(called),
    automatic: automatic !== undefined,
    indexed: index !== undefined || primary !== undefined,
    terms,
    equal,
  };
}

const lower = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : asciiLower(name);

const MADE = /^(?:MATERIALIZE|CO-ROUTINE) (.+)$/;
const LOOP = /^(?:SCAN|SEARCH) (\S+)/;
const LIST = /^(?:CORRELATED )?LIST SUBQUERY/;
const SUBQUERY = /^(?:CORRELATED )?(?:SCALAR|LIST) SUBQUERY|^REUSE/;
const CONSTANTS = /^SCAN (?:(\d+)-ROW VALUES CLAUSE|CONSTANT ROW)/;
const SCAN =
  /^SCAN (.+?)(?: EXISTS)?(?: USING (?:COVERING )?INDEX .+| VIRTUAL TABLE INDEX .+)?(?: LEFT-JOIN| RIGHT-JOIN)?$/;
const SEARCH =
  /^SEARCH (.+?)(?: EXISTS)?(?: USING (?:(AUTOMATIC )?(?:PARTIAL )?(?:COVERING )?INDEX (\S+ )?|INTEGER PRIMARY KEY |(PRIMARY KEY ))\((.+)\))?(?: LEFT-JOIN)?$/;
