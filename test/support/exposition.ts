// Reads Prometheus' text format 0.0.4 strictly: what it does not allow is an error that names the line.

export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export interface ReadFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;

export function readExposition(text: string): ReadonlyMap<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { type: string; help: string; samples: ReadSample[] }>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const head = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (head !== null) {
      const [, kind = '', name = '', rest = ''] = head;
      if (kind === 'HELP') {
        if (families.has(name)) throw new Error(`${name} comes twice`);
        families.set(name, { type: '', help: rest, samples: [] });
        current = name;
      } else {
        const family = families.get(name);
        if (family === undefined || name !== current || family.samples.length > 0) throw new Error(line);
        family.type = rest;
      }
      continue;
    }
    const match = SAMPLE.exec(line);
    const family = families.get(current);
    if (match === null || family === undefined) throw new Error(`no sample: ${line}`);
    const [, name = '', labels = '', value = ''] = match;
    const own = family.type === 'histogram' ? /^(.*)_(bucket|sum|count)$/.exec(name)?.[1] : name;
    if (own !== current) throw new Error(`${name} stands under ${current}`);
    const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
    if (Number.isNaN(number)) throw new Error(`no number: ${line}`);
    family.samples.push({ name, labels: readLabels(labels, line), value: number });
  }
  return families;
}

function readLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`labels: ${line}`);
    const [, name = '', value = ''] = match;
    if (name in labels) throw new Error(`${name} comes twice: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
  }
  return labels;
}

/** The value of the sample with these labels (and perhaps more); fails where there is none. */
export function sampleValue(
  families: ReadonlyMap<string, ReadFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const sample = family?.samples.find(
    (each) =>
      each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  );
  if (sample === undefined) throw new Error(`there is no ${name} ${JSON.stringify(labels)}`);
  return sample.value;
}
