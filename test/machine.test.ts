// Memory and processors of control groups: version 1 and 2, groups within groups, containers that see their own group
// only, and machines without any.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { autoFronts, readMachine } from '../src/base/machine.ts';
import { SETTINGS } from '../src/cli/config.ts';

const test = suite('machine');
const folder = mkdtempSync(join(tmpdir(), 'tablegate-machine-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const HOST = { memoryBytes: 24_000_000_000, processors: 8 };
let count = 0;

function machine(files: Readonly<Record<string, string>>): typeof HOST {
  const root = join(folder, String(count++));
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${text}\n`);
  }
  return readMachine(root, HOST);
}

const V2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate';
const v1 = (controllers: string, shown = '/') =>
  `32 31 0:29 ${shown} /sys/fs/cgroup/${controllers} rw,relatime shared:9 - cgroup cgroup rw,${controllers}`;

test('without groups, or without limits in them, it is the machine', () => {
  assert.equal(machine({}), HOST);
  assert.equal(
    machine({
      'proc/self/mountinfo': `${V2}\n${v1('memory')}`,
      'proc/self/cgroup': '4:memory:/a\n0::/a',
      'sys/fs/cgroup/a/memory.max': 'max',
      'sys/fs/cgroup/a/cpu.max': 'max 100000',
      'sys/fs/cgroup/memory/a/memory.limit_in_bytes': '9223372036854771712',
    }),
    HOST,
  );
});

test('version 2: the least of the group and those around it; a quota counts up', () => {
  const files = {
    'proc/self/mountinfo': V2,
    'proc/self/cgroup': '0::/kube.slice/pod.slice/own',
    'sys/fs/cgroup/kube.slice/pod.slice/own/memory.max': 'max',
    'sys/fs/cgroup/kube.slice/pod.slice/own/cpu.max': '150000 100000',
    'sys/fs/cgroup/kube.slice/pod.slice/memory.max': '2000000000',
    'sys/fs/cgroup/kube.slice/memory.max': '4000000000',
    'sys/fs/cgroup/kube.slice/cpu.max': '400000 100000',
  };
  assert.equal(machine(files), { memoryBytes: 2_000_000_000, processors: 2 });
  const high = { 'sys/fs/cgroup/kube.slice/pod.slice/own/memory.high': '1000000000' };
  assert.is(machine({ ...files, ...high }).memoryBytes, 1_000_000_000);
});

test('version 2 in a container: its own group is the top', () => {
  const files = {
    'proc/self/mountinfo': V2,
    'proc/self/cgroup': '0::/',
    'sys/fs/cgroup/memory.max': '536870912',
    'sys/fs/cgroup/cpu.max': '50000 100000',
  };
  assert.equal(machine(files), { memoryBytes: 536_870_912, processors: 1 });
});

test('version 1: by controller, with those around it', () => {
  const files = {
    'proc/self/mountinfo': `${v1('memory')}\n${v1('cpu,cpuacct')}`,
    'proc/self/cgroup': '4:memory:/system.slice/a.service\n3:cpu,cpuacct:/x/y\n1:name=systemd:/z',
    'sys/fs/cgroup/memory/system.slice/a.service/memory.limit_in_bytes': '9223372036854771712',
    'sys/fs/cgroup/memory/system.slice/memory.limit_in_bytes': '1073741824',
    'sys/fs/cgroup/cpu,cpuacct/x/y/cpu.cfs_quota_us': '-1',
    'sys/fs/cgroup/cpu,cpuacct/x/y/cpu.cfs_period_us': '100000',
    'sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us': '250000',
    'sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us': '100000',
  };
  assert.equal(machine(files), { memoryBytes: 1_073_741_824, processors: 3 });
});

test('version 1 in a container: its group is mounted as the top, while its path is that of the machine', () => {
  const files = {
    'proc/self/mountinfo': v1('memory', '/docker/abc'),
    'proc/self/cgroup': '4:memory:/docker/abc',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '1000000000',
  };
  assert.is(machine(files).memoryBytes, 1_000_000_000);
  assert.is(machine({ ...files, 'proc/self/cgroup': '4:memory:/' }).memoryBytes, 1_000_000_000);
});

test('this machine has some of both', () => {
  const { memoryBytes, processors } = readMachine();
  assert.ok(memoryBytes > 64 * 1024 * 1024 && Number.isSafeInteger(memoryBytes), `${memoryBytes}`);
  assert.ok(processors >= 1 && Number.isInteger(processors), `${processors}`);
});

test('fronts are as many as there are cores, within an eighth of memory', () => {
  const GIB = 1024 ** 3;
  const of = (processors: number, memoryBytes: number): number => autoFronts({ processors, memoryBytes });
  assert.equal([of(1, 64 * GIB), of(2, 4 * GIB), of(4, 16 * GIB), of(64, 256 * GIB)], [1, 2, 4, 8]);
  assert.equal([of(4, GIB), of(8, GIB / 2), of(8, 3 * GIB)], [1, 1, 3]);
  assert.is(SETTINGS.fronts.parse('auto'), autoFronts(readMachine()));
  assert.is(SETTINGS.fronts.parse('3'), 3);
  for (const wrong of ['0', '65', 'some', '-1', '1.5'])
    assert.throws(() => SETTINGS.fronts.parse(wrong), /auto or a whole number from 1 to 64/);
});

test.run();
