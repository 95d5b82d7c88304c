// Lines of the log: text for people, JSON (by pino) for machines. A request's line says all that is known of it,
// but never its statement or query string: those may hold what its sender would not want to be kept.
import { pino } from 'pino';
import { errorText, type Level, type Observation, textOf } from '../base/observe.ts';
import type { WriteEvent } from './log.ts';
import type { Sink } from './sink.ts';

export type LogFormat = 'text' | 'json';

export function createWriter(format: LogFormat, sink: Sink, now: () => Date = () => new Date()): WriteEvent {
  return format === 'text' ? textWriter(sink, now) : jsonWriter(sink, now);
}

function textWriter(sink: Sink, now: () => Date): WriteEvent {
  return (level, event) => {
    sink.write(`${now().toISOString()} ${level.padEnd(5)} ${textOf(event)}\n`);
    if (event.type !== 'request') sink.flush();
  };
}

function jsonWriter(sink: Sink, now: () => Date): WriteEvent {
  const logger = pino(
    {
      base: null,
      // Whoever calls has decided already.
      level: 'debug',
      messageKey: 'text',
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${now().toISOString()}"`,
    },
    sink,
  );
  const write: { readonly [L in Level]: (fields: object, text?: string) => void } = {
    error: (fields, text) => logger.error(fields, text),
    warn: (fields, text) => logger.warn(fields, text),
    info: (fields, text) => logger.info(fields, text),
    debug: (fields, text) => logger.debug(fields, text),
  };
  return (level, event) => {
    // The fields of a request say it all, and its line is the one that is written a thousand times a second.
    if (event.type === 'request') return write[level](requestFields(event));
    write[level](fieldsOf(event), textOf(event));
    sink.flush();
  };
}

function fieldsOf(event: Observation): object {
  const { type, ...fields } = event;
  // Its level and text are those of the line.
  if (type === 'note') return { event: type };
  return 'error' in fields
    ? { event: type, ...fields, error: errorText(fields.error) }
    : { event: type, ...fields };
}

function requestFields(event: Extract<Observation, { type: 'request' }>): object {
  const { type, traceparent, times, ms, writeMs, ...rest } = event;
  return {
    event: type,
    ...rest,
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    ms: rounded(ms),
    writeMs: rounded(writeMs),
    ...(times && {
      queueMs: rounded(times.queueMs),
      planMs: rounded(times.planMs),
      engineMs: rounded(times.engineMs),
      encodeMs: rounded(times.encodeMs),
      engine: times.engine,
      why: times.why,
      ...(times.remote === undefined ? {} : { remote: times.remote }),
    }),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
