// `make bench-report`: the newest results (or the files given) as one HTML page. `--markdown`: as the tables of
// docs/PERFORMANCE.md, on stdout.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { markdown } from './report/markdown.ts';
import { reportPage } from './report/page.ts';
import { type LoadLine, type MicroLine, newestResult, RESULTS_FOLDER, readLines } from './results.ts';

const { values, positionals: given } = parseArgs({
  allowPositionals: true,
  options: { markdown: { type: 'boolean', default: false } },
});
const files =
  given.length > 0
    ? given
    : [newestResult('load'), newestResult('micro')].filter((file) => file !== undefined);
if (files.length === 0) {
  process.stderr.write('there are no results yet: make bench\n');
  process.exit(1);
}
const lines = files.flatMap(readLines);
const load = lines.filter((line): line is LoadLine => line.suite === 'load');
if (values.markdown) process.stdout.write(`${markdown(load)}\n`);
else {
  const page = join(RESULTS_FOLDER, 'report.html');
  const micro = lines.filter((line): line is MicroLine => line.suite === 'micro');
  writeFileSync(page, reportPage(load, micro));
  process.stdout.write(`${page}\n`);
}
