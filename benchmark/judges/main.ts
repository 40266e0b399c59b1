// How far a model agrees with people, metric by metric, on the labelled answers of examples/judged/metrics.
// Run: npm run benchmark:judges -- CONFIGURATION [--project FILE] [--concurrency N]
// CONFIGURATION is the name of an AI configuration of the project file, examples/judged/proofmark.yaml unless another is named.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { judgesReport, measureJudge } from './judges-report.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { project: { type: 'string' }, concurrency: { type: 'string' } },
});
const examples = join(import.meta.dirname, '../../examples/judged');
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
// Whoever reads no further, such as `head`, has seen enough.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const measured = await measureJudge({
  project: resolve(values.project ?? join(examples, 'proofmark.yaml')),
  configuration: positionals[0],
  labels: join(examples, 'metrics'),
  concurrency: Number(values.concurrency ?? 4),
  environment: process.env,
  signal: stop.signal,
});
if (measured.ok) {
  process.stdout.write(judgesReport(measured.metrics));
  process.exitCode = measured.isGood ? 0 : 1;
} else {
  process.stderr.write(`${measured.problem}\n`);
  process.exitCode = 2;
}
