// The metrics of all fronts, added to the supervisor's own. One that does not say in time is left out of what is true of
// this moment, and named; what it counted before stays, as what ended processes counted does.
import { byLabel, type Family } from '../metrics/exposition.ts';
import { countedOf, type Source, sumFamilies } from '../metrics/sum.ts';
import type { ToFront } from './messages.ts';

export interface ScrapedFront {
  readonly name: string;
  readonly serving: boolean;
  tell(message: ToFront): void;
}

export interface Scrape<F extends ScrapedFront> {
  scraped(front: F, id: number, families: readonly Family[]): void;
  /** Its process is gone: what it has counted since it was last asked is lost. */
  left(front: F): void;
  /** @param own of the supervisor */
  families(own: readonly Family[]): Promise<readonly Family[]>;
}

/** Scrapers wait for some 10 s. */
const WAIT_MS = 1_000;
const SUPERVISOR = 'supervisor';

export function createScrape<F extends ScrapedFront>(fronts: () => readonly F[]): Scrape<F> {
  const last = new Map<F, { readonly id: number; readonly source: Source }>();
  /** Of processes that are gone. */
  let gone: Source = { process: 'gone', families: [] };
  let lastId = 0;
  const check = new Set<() => void>();

  return {
    scraped(front, id, families) {
      last.set(front, { id, source: { process: front.name, families } });
      for (const each of check) each();
    },
    left(front) {
      const its = last.get(front);
      last.delete(front);
      if (its !== undefined)
        gone = { process: gone.process, families: sumFamilies([gone, countedOf(its.source)]) };
      for (const each of check) each();
    },
    async families(own) {
      lastId += 1;
      const id = lastId;
      const asked = fronts().filter(({ serving }) => serving);
      const waiting = new Set(asked);
      for (const front of asked) front.tell({ type: 'scrape', id });
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, WAIT_MS);
        const look = (): void => {
          for (const front of waiting)
            if (!front.serving || (last.get(front)?.id ?? 0) >= id) waiting.delete(front);
          if (waiting.size > 0) return;
          clearTimeout(late);
          check.delete(look);
          resolve();
        };
        check.add(look);
        look();
      });
      const sources = [...last].map(([front, { source }]) =>
        waiting.has(front) || !front.serving ? countedOf(source) : source,
      );
      const scraped = byLabel(
        'tablegate_front_scraped',
        'process',
        asked.map((front) => [front.name, waiting.has(front) ? 0 : 1] as const),
      );
      const its: Source = { process: SUPERVISOR, families: [scraped] };
      return sumFamilies([{ process: SUPERVISOR, families: own }, ...sources, gone, its]);
    },
  };
}
