// How many nodes the cluster has: asked now and then, so that whoever watches the gateway sees a worker that is gone.
import { allRows, type TrinoAddress, TrinoError } from '../trino/client.ts';

export interface Nodes {
  /** The coordinator included; 0: nothing can be run there. Undefined: not known yet, or it is not told. */
  readonly active: number | undefined;
}

const EVERY_MS = 15_000;
const WAIT_MS = 10_000;
const NODES = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'";
/** What it says while it has nobody to work. */
const NOBODY: ReadonlySet<string> = new Set(['NO_NODES_AVAILABLE', 'SERVER_STARTING_UP']);

/** For as long as the process lives. @param say told once where Trino does not let the gateway see its nodes */
export function watchNodes(to: TrinoAddress, say: (text: string) => void): Nodes {
  let active: number | undefined;
  let said = false;
  const look = async (): Promise<void> => {
    try {
      const { rows } = await allRows(to, NODES, { signal: AbortSignal.timeout(WAIT_MS) });
      active = Number(rows[0]?.[0]);
    } catch (error) {
      const name = error instanceof TrinoError ? error.errorName : undefined;
      if (name === undefined || NOBODY.has(name)) active = 0;
      else if (name === 'PERMISSION_DENIED') {
        active = undefined;
        if (!said) say(`Trino does not let the gateway see its nodes: ${String(error)}`);
        said = true;
      }
      // Of all else it may be the next look that says it.
    }
    setTimeout(look, EVERY_MS).unref();
  };
  void look();
  return {
    get active() {
      return active;
    },
  };
}
