// `make bench-report`: the newest results (or the files given) as one HTML page.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportPage } from './report/page.ts';
import { type LoadLine, type MicroLine, newestResult, RESULTS_FOLDER, readLines } from './results.ts';

const given = process.argv.slice(2);
const files =
  given.length > 0
    ? given
    : [newestResult('load'), newestResult('micro')].filter((file) => file !== undefined);
if (files.length === 0) {
  process.stderr.write('there are no results yet: make bench\n');
  process.exit(1);
}
const lines = files.flatMap(readLines);
const page = join(RESULTS_FOLDER, 'report.html');
writeFileSync(
  page,
  reportPage(
    lines.filter((line): line is LoadLine => line.suite === 'load'),
    lines.filter((line): line is MicroLine => line.suite === 'micro'),
  ),
);
process.stdout.write(`${page}\n`);
