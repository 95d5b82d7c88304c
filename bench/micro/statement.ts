// The front's share of every request: its query string read, the statement cut into shape and literals.
import { entityTag } from '../../src/http/etag.ts';
import { queryOfSearch } from '../../src/routes/query-request.ts';
import { createStatementReader } from '../../src/statement/reader.ts';
import { readStatement } from '../../src/statement/statement.ts';
import type { Part } from './part.ts';
import { JOIN, LONG, LOOKUP, METADATA } from './statements.ts';

const search = `statement=${encodeURIComponent(LOOKUP)}`;

export const statement: Part = {
  group: 'statement',
  open: async () => {
    const { shape, literals } = readStatement(LOOKUP, [], 35_000);
    const read = createStatementReader(35_000);
    // The pattern of a shape is remembered when it comes again.
    for (let time = 0; time < 2; time++) read(METADATA, []);
    return {
      tasks: [
        { name: 'read the query string of a lookup', repeat: 200, run: () => queryOfSearch(search) },
        { name: 'shape of a lookup', repeat: 200, run: () => readStatement(LOOKUP, [], 35_000) },
        { name: 'shape of a join', repeat: 100, run: () => readStatement(JOIN, [], 35_000) },
        { name: "shape of an NFT's metadata", repeat: 100, run: () => readStatement(METADATA, [], 35_000) },
        { name: 'the same, of a pattern that came before', repeat: 100, run: () => read(METADATA, []) },
        { name: 'shape of 35,000 bytes', run: () => readStatement(LONG, [], 35_000) },
        {
          name: 'entity tag of a lookup',
          repeat: 100,
          run: () => entityTag(['build', 'snapshot', 'objects', shape, JSON.stringify(literals)]),
        },
      ],
    };
  },
};
