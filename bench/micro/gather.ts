// Lookups of one shape, one by one and as one statement: the engine's share of each.
import { createCompiler } from '../../src/dialect/compile.ts';
import { fillGathered, fillTemplate } from '../../src/dialect/template.ts';
import { readStatement } from '../../src/statement/statement.ts';
import { openEngine } from '../../src/worker/engine.ts';
import type { Part } from './part.ts';
import { schema } from './schema.ts';

const ROWS = 3_000;
const lookup = (id: number) =>
  readStatement(
    `select id, name, image, owner from rigs_31337_2 where id = ${id} and minted_at < ${2e9 + id}`,
    [],
    35_000,
  );

export const gather: Part = {
  group: 'gather',
  open: async () => {
    const engine = await openEngine(':memory:', { threads: '1' });
    const connection = await engine.connect();
    await connection.query(
      `create table rigs_31337_2 as select i::bigint as id, 'Rig #' || i as name,
       'ipfs://bafybeif' || md5(i::varchar) || '/image.png' as image, '0x' || sha1(i::varchar) as owner,
       (1667000000 + i)::bigint as minted_at from range(${ROWS}) t(i)`,
    );
    const compile = createCompiler(schema);
    const { shape, literals } = lookup(1);
    const alone = compile(shape, literals, { exact: false });
    const together = compile(shape, literals, { exact: false, gather: true });
    const { gathering } = together;
    if (gathering === undefined) throw new Error('lookups are not gathered');
    let next = 0;
    const some = (count: number) =>
      Array.from({ length: count }, () => {
        next = (next + 7) % ROWS;
        return lookup(next).literals;
      });
    const many = (count: number) => ({
      name: `${count} lookups as one statement`,
      run: () => connection.query(fillGathered(together.sql, gathering, some(count))),
    });
    return {
      tasks: [
        {
          name: 'one lookup',
          run: () => connection.query(fillTemplate(alone.sql, some(1)[0] ?? [])),
        },
        ...[4, 16, 64, 128].map(many),
      ],
      close() {
        connection.close();
        engine.close();
      },
    };
  },
};
