// One embedded run in a process of its own: prints its rate and how much memory it held on the way.
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { runEmbedded } from '@proofmark/embedded/run-embedded';

const [root = '', results = '', concurrency = ''] = process.argv.slice(2);
const { definitions, problems } = collectDefinitions({ root });
const keys = readModelKeys({});
if (problems.length > 0 || !keys.ok) throw new Error(JSON.stringify(problems));

const memoryMb: Record<number, number> = {};
const megabytes = (): number => Math.round(process.memoryUsage.rss() / 1e6);
const cpuMs = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
const startCpuMs = cpuMs();
const start = performance.now();
let executedMs = 0;
const run = await runEmbedded({
  ...{ runId: 'benchmark', definitions, runSeed: 'benchmark', resultsDirectory: results, keys: keys.keys, root },
  request: {
    ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [], cases: [], tags: [] },
    ...{ difficulty: null, repetitions: null, compared: false, variants: ['head'] },
  },
  concurrency: Number(concurrency),
  version: '0.1.0',
  environment: {},
  onFinished: ({ done, total }) => {
    if (done % 1000 === 0) memoryMb[done] = megabytes();
    if (done === total) executedMs = performance.now() - start;
  },
  signal: new AbortController().signal,
});
const seconds = (performance.now() - start) / 1000;
if (!run.ok) throw new Error(JSON.stringify(run.problems));
const cases = run.suiteRuns.reduce((sum, { totals }) => sum + totals.passed, 0);
process.stdout.write(
  `${JSON.stringify({
    rate: cases / seconds,
    cpuMs: cpuMs() - startCpuMs,
    passed: cases,
    executedMs,
    totalMs: seconds * 1000,
    memoryMb: { ...memoryMb, end: megabytes(), most: Math.round(process.resourceUsage().maxRSS / 1000) },
  })}\n`,
);
