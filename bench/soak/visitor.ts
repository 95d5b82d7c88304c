// What a visitor of a soak is, and what it finds there.
import type { Truth } from '../load/truth.ts';
import type { Random } from '../random.ts';
import type { Recorder } from './record.ts';

export interface Scene {
  readonly base: string;
  readonly recorder: Recorder;
  readonly random: Random;
  /** The bench's own tables, which do not change. */
  readonly truth: Truth;
  /** Value of the counter that the source committed last. */
  readonly newestValue: () => number;
  readonly over: () => boolean;
}

/** Loads that think between requests stand for people; 0 is a client that asks without pause. */
export interface Visitor {
  readonly kind: string;
  readonly count: number;
  readonly pauseMs: number;
  /** Ends soon after the scene is over. */
  readonly visit: (scene: Scene, visitor: Visitor) => Promise<void>;
}
