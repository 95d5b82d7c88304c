// A process that is ended because it cannot open a snapshot may open another one in the same moment: nothing is to run
// there, since it would be lost with it and be taken for the cause.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { laneSettings } from '../../src/lane/lane-settings.ts';
import { laneStarter } from '../../src/lane/start-lane.ts';
import { rowsPath } from '../../src/snapshot/layout.ts';
import type { Reply } from '../../src/wire/protocol.ts';
import { makeSnapshot } from '../support/snapshot.ts';
import { HOSTILE, ITEMS, LANE_CONFIG, statement, textOf } from './support.ts';

test('a statement is not sent to a process that is being ended', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tablegate-unfit-'));
  const good = await makeSnapshot(join(dir, 'good'), [ITEMS]);
  const broken = { ...good, id: `${good.id}-broken`, path: join(dir, 'broken') };
  cpSync(good.path, broken.path, { recursive: true });
  rmSync(rowsPath(broken.path), { force: true });
  writeFileSync(rowsPath(broken.path), 'no database');
  const lane = laneStarter(LANE_CONFIG, () => {})(laneSettings(LANE_CONFIG, HOSTILE).long);
  try {
    const refused = lane.open(broken).then(() => 'opened', String);
    const opened = lane.open(good);
    lane.use(good);
    const answered = new Promise<Reply | string>((resolve) => {
      lane.send({
        job: statement('select count(*) as n from items_1_1'),
        client: '',
        snapshot: good.id,
        waitMs: 20_000,
        deadlineMs: 20_000,
        graceMs: 0,
        onReply: resolve,
        onLost: (loss, why) => resolve(`lost: ${loss}, ${why}`),
      });
    });
    assert.match(await refused, /is not a database|not a database|cannot/);
    await opened;
    const reply = await answered;
    assert.is(typeof reply === 'string' ? reply : await textOf(reply), '[{"n":200000}]');
  } finally {
    await lane.close();
    rmSync(dir, { recursive: true, force: true });
  }
});

test.run();
