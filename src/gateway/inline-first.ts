// The engine of a front: what is sure to be short runs in this process, all else goes to what is behind it.
import type { Engine } from '../answer/engine.ts';
import type { Observe } from '../base/observe.ts';
import type { Config } from '../cli/config.ts';
import { createInlineRows, type InlineRows } from '../rowstore/inline.ts';
import type { TableVersions } from '../snapshot/versions.ts';
import type { SnapshotRef } from '../wire/protocol.ts';
import type { Opens } from './swap.ts';

/** Prepared statements of wide tables have hundreds of kilobytes each, and nothing but their number bounds them. */
const MOST_SHAPES = 256;

/**
 * @param first is in use from the start
 * @param versions of its tables
 * @returns undefined where the lanes are to answer everything: so the setting says, or one engine alone is to answer
 */
export function startInline(
  config: Pick<Config, 'inline' | 'engine' | 'rowVisits' | 'planShapes'>,
  observe: Observe,
  first: SnapshotRef,
  versions: TableVersions,
): InlineRows | undefined {
  if (config.inline === 'off' || config.engine !== 'auto') return undefined;
  const inline = createInlineRows({
    maxVisits: config.rowVisits,
    shapes: Math.min(config.planShapes, MOST_SHAPES),
    selfTest: true,
    onRefused: (text) => observe({ type: 'note', level: 'error', text }),
  });
  inline.open(first, versions);
  inline.use(first.id);
  return inline;
}

/** @param held set while another snapshot is turned to: what was admitted before then must not be answered from the old one */
export function inlineFirst(
  behind: Engine,
  inline: InlineRows | undefined,
  held: () => unknown = () => undefined,
): Engine {
  if (inline === undefined) return behind;
  return {
    run(job, options = {}) {
      const { signal, snapshot } = options;
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const reply = held() === undefined ? inline.run(job, snapshot) : undefined;
      if (reply === undefined) return behind.run(job, options);
      if (reply.ok || reply.code !== 'elsewhere') return Promise.resolve(reply);
      return behind.run(job, { ...options, elsewhere: reply });
    },
    healthy: () => behind.healthy(),
  };
}

/** Opens a snapshot here, too, once the lanes have it, and turns to it in the same moment. */
export function alsoInline(lanes: Opens, inline: InlineRows | undefined): Opens {
  if (inline === undefined) return lanes;
  return {
    async prepareSnapshot(wanted, versions) {
      await lanes.prepareSnapshot(wanted, versions);
      inline.open(wanted, versions);
    },
    useSnapshot(wanted) {
      lanes.useSnapshot(wanted);
      inline.use(wanted.id);
    },
  };
}
