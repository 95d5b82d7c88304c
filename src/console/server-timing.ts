// What `Server-Timing` tells of an answer: where its time went, and which engine ran it. No DOM.

export interface ServerTimes {
  /** By name, in milliseconds. */
  readonly ms: Readonly<Record<string, number>>;
  /** `rows: visits` */
  readonly engine: string | undefined;
}

/** `queue;dur=0.1, engine;desc="rows: visits";dur=0.2, total;dur=1.3` */
export function readServerTiming(header: string | null): ServerTimes {
  const ms: Record<string, number> = {};
  let engine: string | undefined;
  for (const [, name = '', rest = ''] of (header ?? '').matchAll(
    /([\w-]+)((?:;\w+=(?:"[^"]*"|[^;,"]*))*)(?:,|$)/g,
  )) {
    const dur = Number(/;dur=([\d.]+)/.exec(rest)?.[1] ?? Number.NaN);
    if (Number.isFinite(dur)) ms[name] = dur;
    if (name === 'engine') engine = /;desc="([^"]*)"/.exec(rest)?.[1];
  }
  return { ms, engine };
}

/** Three digits: `0.12 ms`, `34.5 ms`, `1.20 s`. */
export function shortMs(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  return `${Number(ms.toPrecision(ms < 100 ? 2 : 3))} ms`;
}
