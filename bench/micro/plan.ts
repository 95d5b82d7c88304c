// The worker's share: a new shape parsed and compiled, a known one looked up, its literals filled in.
import { createCompiler } from '../../src/dialect/compile.ts';
import { parse } from '../../src/dialect/parse.ts';
import { fillTemplate } from '../../src/dialect/template.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { createPlans } from '../../src/worker/plans.ts';
import type { Part } from './part.ts';
import { schema } from './schema.ts';
import { JOIN, LOOKUP, METADATA } from './statements.ts';

export const plan: Part = {
  group: 'plan',
  open: async () => {
    const compile = createCompiler(schema);
    const plans = createPlans(compile, 1_000);
    const [lookup, join, metadata] = [LOOKUP, JOIN, METADATA].map((text) => readStatement(text, [], 35_000));
    if (lookup === undefined || join === undefined || metadata === undefined) throw new Error('no statement');
    const known = plans.get(lookup.shape, lookup.literals);
    return {
      tasks: [
        { name: 'parse a lookup', repeat: 20, run: () => parse(lookup.shape, lookup.literals) },
        {
          name: 'compile a lookup',
          repeat: 10,
          run: () => compile(lookup.shape, lookup.literals),
        },
        {
          name: 'compile a join',
          repeat: 5,
          run: () => compile(join.shape, join.literals),
        },
        {
          name: "compile an NFT's metadata",
          repeat: 5,
          run: () => compile(metadata.shape, metadata.literals),
        },
        {
          name: 'look up a known plan',
          repeat: 500,
          run: () => plans.get(lookup.shape, lookup.literals),
        },
        {
          name: 'fill in the literals',
          repeat: 200,
          run: () => fillTemplate(known.plan.sql, lookup.literals),
        },
      ],
    };
  },
};
