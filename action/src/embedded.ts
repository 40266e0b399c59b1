import { arch, platform } from 'node:os';
import { join } from 'node:path';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import { type EmbeddedRun, runEmbedded } from '@proofmark/embedded/run-embedded';
import type { TestRunFinished } from '@proofmark/embedded/test-run-finished';
import { awaitingApproval } from './credentials.ts';
import type { Ending } from './decide-exit.ts';
import { fromSuiteRuns } from './embedded-report.ts';
import { embeddedRequest, needsModels, withMinimum } from './embedded-request.ts';
import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';
import { foreignLine } from './job-log.ts';
import { outputsOf } from './job-report.ts';
import type { Trigger } from './read-event.ts';
import { reportProblems } from './report-problems.ts';
import { showReport } from './show-report.ts';
import { version } from './version.ts';
import { writeResults } from './write-results.ts';

export interface EmbeddedJob {
  inputs: Inputs;
  trigger: Trigger;
  collected: CollectedDefinitions;
}

type Finished = Extract<EmbeddedRun, { ok: true }>;

/** Executes the cases in this job, with the model keys of its environment, and reports in its summary. */
export async function runEmbeddedJob({ inputs, trigger, collected }: EmbeddedJob, job: Job): Promise<Ending> {
  Object.assign(job.outputs, { 'execution-mode': 'embedded', 'report-mode': 'summary' });
  if (trigger.withoutSecrets !== null && needsModels(collected.definitions)) {
    job.outputs.outcome = 'awaiting-approval';
    job.remark({ level: 'notice', message: awaitingApproval(trigger.withoutSecrets) });
    return { kind: 'nothing' };
  }
  const read = readModelKeys();
  if (!read.ok) {
    for (const problem of read.problems) job.remark({ level: 'error', message: foreignLine(problem) });
    return { kind: 'trouble' };
  }
  for (const key of read.keys.values.values()) if (key !== undefined) job.mask(key);
  const runId = `gha-${job.environment.runId}-${job.environment.runAttempt}-${inputs['check-name']}`;
  job.outputs['run-id'] = runId;
  const startedMs = job.now();
  const ended = await execute({ inputs, collected, runId, keys: read.keys }, job);
  if (!ended.ok) return tellRefused(ended.problems, job);
  return show({ ended, trigger, runId, durationMs: job.now() - startedMs, inputs }, job);
}

interface Execution {
  inputs: Inputs;
  collected: CollectedDefinitions;
  runId: string;
  keys: ModelKeys;
}

async function execute({ inputs, collected, runId, keys }: Execution, job: Job): Promise<EmbeddedRun> {
  const { environment, signal } = job;
  return await runEmbedded({
    runId,
    definitions: withMinimum(collected.definitions, inputs['min-pass-rate']),
    request: embeddedRequest(inputs),
    runSeed: runId,
    resultsDirectory: join(environment.temp ?? process.cwd(), 'proofmark'),
    keys,
    ...(inputs.concurrency === null ? {} : { concurrency: inputs.concurrency }),
    ...(inputs['budget-usd'] === null ? {} : { budgetUsd: inputs['budget-usd'] }),
    onError: inputs['on-error'],
    version,
    environment: { node: process.version, os: `${platform()} ${arch()}`, ci: 'true' },
    onPlanned: ({ warnings }) => reportProblems(warnings, job),
    onFinished: progressLines(job),
    signal,
  });
}

/** A line whenever something has changed, but not more often than a run on a coordinator would print one. */
function progressLines({ now, write, environment }: Job): (event: TestRunFinished) => void {
  let shownMs = now();
  return ({ done, total }) => {
    if (done < total && now() - shownMs < environment.pollMs) return;
    shownMs = now();
    write(`${done}/${total} cases`);
  };
}

function tellRefused(problems: Extract<EmbeddedRun, { ok: false }>['problems'], job: Job): Ending {
  reportProblems(problems, job);
  Object.assign(job.outputs, { outcome: 'invalid', conclusion: 'failure' });
  return { kind: 'ended', outcome: 'invalid', conclusion: 'failure' };
}

interface EndedRun {
  ended: Finished;
  trigger: Trigger;
  runId: string;
  durationMs: number;
  inputs: Inputs;
}

async function show({ ended, trigger, runId, durationMs, inputs }: EndedRun, job: Job): Promise<Ending> {
  const { suiteRuns, isInterrupted, folder } = ended;
  const report = fromSuiteRuns({ runId, trigger, environment: job.environment, suiteRuns, durationMs });
  Object.assign(job.outputs, outputsOf(report));
  const { outcome, conclusion, headline } = report;
  const suites = suiteRuns.map(({ suiteName, suitePath, cellKey, verdict, report: written }) => ({
    ...{ suite: suiteName, suite_path: suitePath, cell: cellKey, verdict },
    report_path: written.ok ? written.path : null,
  }));
  const results = { run_id: runId, run_url: null, folder, outcome, conclusion, headline, suites };
  job.outputs['results-path'] = (await writeResults(inputs['check-name'], results, job)) ?? '';
  await showReport(report, 'summary', job);
  if (!isInterrupted) return { kind: 'ended', outcome, conclusion };
  job.outputs.outcome = 'cancelled';
  return { kind: 'ended', outcome: 'cancelled', conclusion: 'cancelled' };
}
