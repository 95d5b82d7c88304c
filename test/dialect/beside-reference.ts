// One table's script in the reference and in our engine, for tests that ask both the same.
import { startReference } from '../support/reference.ts';
import { type Engines, openEngines } from './compile-engines.ts';

export interface BesideReference {
  readonly engines: Engines;
  /** The reference's own answer, as a table. */
  ask(statement: string): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

/** @param script creates and fills the table `PREFIX_31337_1` */
export async function openBesideReference(script: string, prefix: string): Promise<BesideReference> {
  const reference = await startReference({
    seed: (database) => {
      database.exec(script);
      database.exec(
        `insert into registry(id, structure, controller, prefix, created_at, chain_id) values (1, 's', '0x0', '${prefix}', 0, 31337)`,
      );
    },
  });
  const engines = await openEngines(script);
  return {
    engines,
    async ask(statement) {
      const response = await fetch(`${reference.url}/query`, {
        method: 'POST',
        body: JSON.stringify({ statement, format: 'table' }),
      });
      return { status: response.status, text: await response.text() };
    },
    async close() {
      engines.close();
      await reference.stop();
    },
  };
}
