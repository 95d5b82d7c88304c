// A folder as a store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import { openStore } from '../../src/store/open-store.ts';
import { testContract } from './contract.ts';

const test = suite('store/folder');
const root = mkdtempSync(join(tmpdir(), 'tablegate-store-'));
test.after(() => rmSync(root, { recursive: true, force: true }));
testContract(test, { open: (name) => openStore(join(root, name), ''), keepsConditions: true });

test.run();
