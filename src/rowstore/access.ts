// How SQLite is to get at the rows of a statement, whoever finds it out.
import type { Template } from '../dialect/plan.ts';
import type { Literal } from '../wire/protocol.ts';
import type { KeyRange } from './key-range.ts';

/** How SQLite is to get at the rows of a statement. */
export interface Access {
  readonly template: Template;
  readonly visits: number;
  /** Rows come as they are stored, and none is looked at in vain. */
  readonly inOrder: boolean;
  /** All of its rows may be put in another order before the first is given. */
  readonly sorts: boolean;
  /** Set where it looks at the rows between two rowids alone. */
  readonly range?: KeyRange | undefined;
  /** Rows that it visits with the constants of one statement, which may be fewer; undefined: as many with any. */
  readonly visitsWith?: ((literals: readonly Literal[]) => number) | undefined;
  /** Each of its SELECTs has its own part of the visits, as often as it is run. */
  readonly bySelect?: boolean;
  /** Rows that could be counted make no difference: whoever looks at the statement finds the same. */
  readonly settled?: boolean;
  /** Another one, for a statement that is asked again. */
  readonly again?: () => Access;
}
