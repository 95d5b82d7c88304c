// An answer of /query as columns and rows, whatever form was asked for. Keeps the text of every number. No DOM.
import { type Cell, Cut, eachItem, eachMember, endOfValue, readCell, skipSpace } from './lossless-json.ts';

export interface Output {
  readonly format: 'objects' | 'table';
  readonly extract: boolean;
  readonly unwrap: boolean;
}

export interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether rows are missing because the text was cut off. */
  readonly cut: boolean;
}

/** What the only column of extracted values is called. */
export const EXTRACTED = 'value';

/** @throws Error where the text is no JSON of this form */
export function readResult(text: string, output: Output): Result {
  if (output.format === 'table') return readTable(text);
  const values: (readonly [number, number])[] = [];
  const cut = readUntilCut(() => {
    if (output.unwrap) eachLine(text, (from, to) => values.push([from, to]));
    else eachItem(text, skipSpace(text, 0), (from, to) => values.push([from, to]));
  });
  if (output.extract || values.some(([from]) => text[from] !== '{'))
    return { columns: [EXTRACTED], rows: values.map(([from, to]) => [readCell(text, from, to)]), cut };
  return { ...readObjects(text, values), cut };
}

function readUntilCut(read: () => void): boolean {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof Cut) return true;
    throw error;
  }
}

function eachLine(text: string, each: (from: number, to: number) => void): void {
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const end = endOfValue(text, at);
    each(at, end);
    at = skipSpace(text, end);
  }
}

function readTable(text: string): Result {
  const columns: string[] = [];
  const rows: Cell[][] = [];
  const readRow = (from: number): void => {
    const cells: Cell[] = [];
    eachItem(text, from, (cellFrom, cellTo) => cells.push(readCell(text, cellFrom, cellTo)));
    rows.push(cells);
  };
  const cut = readUntilCut(() => {
    // `{"columns":[{"name":"a"}],"rows":[[1]]}`: members are walked by hand, so that a cut inside `rows` keeps
    // the rows before it.
    let at = skipSpace(text, 0) + 1;
    for (;;) {
      const nameEnd = endOfValue(text, skipSpace(text, at));
      const name = JSON.parse(text.slice(skipSpace(text, at), nameEnd)) as string;
      const from = skipSpace(text, skipSpace(text, nameEnd) + 1);
      if (name === 'columns')
        at = eachItem(text, from, (start) =>
          eachMember(text, start, (_, valueFrom, valueTo) =>
            columns.push(JSON.parse(text.slice(valueFrom, valueTo)) as string),
          ),
        );
      else at = eachItem(text, from, readRow);
      at = skipSpace(text, at);
      if (text[at] === undefined) throw new Cut();
      if (text[at] === '}') return;
      at++;
    }
  });
  return { columns, rows, cut };
}

function readObjects(
  text: string,
  values: readonly (readonly [number, number])[],
): Pick<Result, 'columns' | 'rows'> {
  const places = new Map<string, number>();
  const rows = values.map(([start]) => {
    const cells: Cell[] = [];
    eachMember(text, start, (name, from, to) => {
      let place = places.get(name);
      if (place === undefined) {
        place = places.size;
        places.set(name, place);
      }
      cells[place] = readCell(text, from, to);
    });
    return cells;
  });
  const columns = [...places.keys()];
  return { columns, rows: rows.map((cells) => columns.map((_, i) => cells[i] ?? null)) };
}

/** A cell as a reader would write it; null where it is SQL's NULL. */
export function cellText(cell: Cell): string | null {
  if (cell === null || typeof cell === 'string') return cell;
  if (typeof cell === 'boolean') return String(cell);
  return 'number' in cell ? cell.number : cell.json;
}
