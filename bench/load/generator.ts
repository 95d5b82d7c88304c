// The load generator's process: gets a job by message, puts the load on the target, sends back what it measured.
// Kept apart from the targets and from the bench itself, so that neither's work counts as the other's time.
import { runAttackLoop } from './attack-loop.ts';
import { customWorkload } from './custom.ts';
import type { FromGenerator, LoadJob, Measured, ToGenerator } from './job.ts';
import { runLargeReads } from './large-reads.ts';
import { runOpenLoop } from './open-loop.ts';
import { runPlainLoop } from './plain-loop.ts';
import { workloadNamed } from './suite.ts';
import { runClosedLoop } from './wrk.ts';

let over = false;
const isOver = (): boolean => over;
const send = (message: FromGenerator): void => {
  process.send?.(message);
};

function run(job: LoadJob): Promise<Measured> {
  const workload = job.template === undefined ? workloadNamed(job.workload) : customWorkload(job.template);
  const next = workload.asks(job.dataset, job.slice);
  const { load } = job;
  const rows = workload.rows?.(job.dataset);
  switch (load.mode) {
    case 'closed':
      if (workload.large === true && load.connections === 1 && job.lasting !== true)
        return runLargeReads(job, undefined, rows, next, isOver);
      return job.lasting === true
        ? runPlainLoop(job, load.connections, next, isOver)
        : runClosedLoop(job, load.connections, next);
    case 'open': {
      if (typeof load.rate !== 'number') throw new Error('the rate must be a number by now');
      const { connections, rate, mayRefuse = false } = load;
      return runOpenLoop(job, { connections, rate, mayRefuse }, next, isOver);
    }
    case 'attack':
      return runAttackLoop(job, load.connections, isOver);
    case 'read':
      return runLargeReads(job, load.bytesPerSecond, rows, next, isOver);
  }
}

async function answer(job: LoadJob): Promise<void> {
  over = false;
  const cpu = process.cpuUsage();
  const began = performance.now();
  try {
    const measured = await run(job);
    const used = process.cpuUsage(cpu);
    send({
      kind: 'done',
      measured,
      cpu: (used.user + used.system) / 1000 / (performance.now() - began),
    });
  } catch (error) {
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'finish') over = true;
  else void answer(message.job);
});
// The bench that started this is gone: so is the reason to go on.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
