import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { withGatesOf } from '@proofmark/domain/base-definitions';
import type { RunRequest } from '@proofmark/domain/plan-run';
import type { EndedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import { type ComparedBase, chooseBase } from '../base/choose-base.ts';
import { openForge } from '../forge/open-forge.ts';
import { awaitingApproval } from '../job/credentials.ts';
import type { JobEnding } from '../job/decide-exit.ts';
import type { Inputs } from '../job/inputs.ts';
import { foreignLine, type Job } from '../job/job.ts';
import { outputsOf } from '../job/job-report.ts';
import {
  cancelledReport,
  finishedReport,
  type RunFacts,
  toJobReport,
  workflowRunUrl,
} from '../report/embedded-report.ts';
import { openReporter } from '../report/open-reporter.ts';
import { type ProgressReport, reportProgress } from '../report/report-progress.ts';
import { showReport } from '../report/show-report.ts';
import { chooseSuites, readComparison } from './choose-suites.ts';
import type { PreparedRun } from './collect-suites.ts';
import type { Executed } from './embedded.ts';
import { errorsOf, reportProblems } from './report-problems.ts';
import { tellInvalid } from './tell-invalid.ts';
import { writeJobResults } from './write-results.ts';

/** Executes the suites inside this job, the base beside the head, and reports what came of it. */
export async function runInJob(run: PreparedRun, job: Job): Promise<JobEnding> {
  const { inputs, trigger, collected } = run;
  job.outputs['execution-mode'] = 'embedded';
  if (trigger.withoutSecrets !== null && needsModels(collected.definitions)) {
    Object.assign(job.outputs, { outcome: 'awaiting-approval', 'report-mode': 'summary' });
    job.remark({ level: 'notice', message: awaitingApproval(trigger.withoutSecrets) });
    return { kind: 'nothing' };
  }
  const forge = await openForge(inputs['github-token'], job);
  const comparison = await (run.comparison ?? readComparison(inputs, trigger, job));
  const { suites } = collected.definitions;
  const { affected, unaffected } = chooseSuites({ inputs, trigger, suites, comparison }, job);
  const chosen = await chooseBase({ ...run, comparison, forge }, job);
  if (!chosen.ok) {
    job.remark({ level: 'error', message: foreignLine(chosen.message) });
    return { kind: 'trouble' };
  }
  const { base } = chosen;
  const runId = `gha-${job.environment.runId}-${job.environment.runAttempt}-${inputs['check-name']}`;
  job.outputs['run-id'] = runId;
  const facts: RunFacts = { runId, trigger, environment: job.environment, base, affected, unaffected };
  return executeAndTell({ run, facts, affected, base }, job);
}

interface ChosenRun {
  run: PreparedRun;
  facts: RunFacts;
  affected: readonly LoadedSuite[];
  base: ComparedBase | null;
}

async function executeAndTell(chosen: ChosenRun, job: Job): Promise<JobEnding> {
  const { run, facts, affected } = chosen;
  const { inputs, trigger } = run;
  const detailsUrl = workflowRunUrl(job.environment);
  const reporter = await openReporter({ inputs, trigger, hasApp: null, detailsUrl }, job);
  const progress = reportProgress({ reporter, inputs, facts }, job);
  const startedMs = job.now();
  const executed = affected.length === 0 ? nothingToDo : await execute(chosen, progress, job);
  await progress.settled();
  if (!executed.ok) return tellRefused(executed, run, job);
  const durationMs = job.now() - startedMs;
  const finished = finishedReport(facts, { suiteRuns: executed.suiteRuns, durationMs });
  const shown = executed.isInterrupted ? cancelledReport(finished) : finished;
  await reporter.show(progress.renderingOf(shown));
  job.outputs['report-mode'] = reporter.mode();
  return tellEnd({ executed, finished, inputs }, job);
}

type Finished = Extract<Executed, { ok: true }>;

const nothingToDo: Finished = { ok: true, isInterrupted: false, folder: '', suiteRuns: [], warnings: [] };

/** The bundle with everything that executes cases is loaded only when there is something to execute. */
async function execute({ run, affected, base, facts }: ChosenRun, progress: ProgressReport, job: Job) {
  const { inputs, collected, baseFolder } = run;
  const gated = base === null ? { suites: [...affected], changed: [] } : withGatesOf(base.definitions, affected);
  for (const name of gated.changed) {
    job.remark({ level: 'notice', message: `The gate of ${foreignLine(name)} changes: it takes effect after merge.` });
  }
  const { executeCases } = await import('./embedded.ts');
  return await executeCases(
    {
      runId: facts.runId,
      definitions: { ...collected.definitions, suites: withMinimum(gated.suites, inputs['min-pass-rate']) },
      baselineDefinitions: base?.definitions ?? null,
      request: embeddedRequest(inputs, base !== null),
      concurrency: inputs.concurrency,
      budgetUsd: inputs['budget-usd'],
      baseFolder: base === null ? null : baseFolder,
      onError: inputs['on-error'],
      onPlanned: ({ warnings, planned }) => {
        reportProblems(warnings, job);
        progress.begin(planned);
      },
      onMeasuring: ({ suiteName, path, labels }) =>
        job.write(
          `Measuring the judge of ${foreignLine(suiteName)} with ${labels} labelled answers of ${foreignLine(path)}`,
        ),
      onFinished: progress.finished,
    },
    job,
  );
}

async function tellRefused(executed: Extract<Executed, { ok: false }>, run: PreparedRun, job: Job): Promise<JobEnding> {
  if ('wrongKeys' in executed) {
    for (const problem of executed.wrongKeys) job.remark({ level: 'error', message: foreignLine(problem) });
    return { kind: 'trouble' };
  }
  reportProblems(executed.problems, job);
  return await tellInvalid({ ...run, problems: errorsOf(executed.problems), teller: { kind: 'job' } }, job);
}

interface EndedRun {
  executed: Finished;
  finished: ReturnType<typeof finishedReport>;
  inputs: Inputs;
}

async function tellEnd({ executed, finished, inputs }: EndedRun, job: Job): Promise<JobEnding> {
  const { suiteRuns, isInterrupted, folder } = executed;
  const report = toJobReport(finished, suiteRuns);
  Object.assign(job.outputs, outputsOf(report));
  const { outcome, conclusion, headline } = report;
  const suites = suiteRuns.map(toResult);
  const results = { run_id: finished.runId, run_url: null, folder, outcome, conclusion, headline, suites };
  job.outputs['results-path'] = (await writeJobResults(inputs['check-name'], results, job)) ?? '';
  await showReport(report, job.outputs['report-mode'] || 'summary', job);
  if (!isInterrupted) return { kind: 'ended', outcome, conclusion };
  job.outputs.outcome = 'cancelled';
  return { kind: 'ended', outcome: 'cancelled', conclusion: 'cancelled' };
}

function toResult({ suiteName, suitePath, cellKey, variant, verdict, report }: EndedSuiteRun) {
  const place = { suite: suiteName, suite_path: suitePath, cell: cellKey, variant };
  return { ...place, verdict, report_path: report.ok ? report.path : null };
}

/** What the inputs ask of a run inside this job. Without a base nothing is repeated for the sake of a comparison. */
function embeddedRequest(inputs: Inputs, isCompared: boolean): RunRequest {
  return {
    variables: {},
    assignments: inputs.variables,
    preset: inputs.preset,
    matrix: {},
    matrixAssignments: inputs.matrix,
    cases: inputs.cases,
    tags: inputs.tags,
    difficulty: inputs.difficulty,
    repetitions: inputs.repetitions,
    compared: isCompared,
    variants: isCompared ? ['baseline', 'candidate'] : ['head'],
  };
}

/** The suites with the minimum of the input in place of that of each gate. */
function withMinimum(suites: readonly LoadedSuite[], minPassRate: number | null): LoadedSuite[] {
  if (minPassRate === null) return [...suites];
  return suites.map((loaded) => ({
    ...loaded,
    suite: { ...loaded.suite, gate: { ...loaded.suite.gate, min_pass_rate: minPassRate } },
  }));
}

/** Whether any suite calls a model: such suites cannot run in a job without secrets. */
function needsModels({ suites }: LoadedDefinitions): boolean {
  return suites.some(({ agent, suite }) => {
    const { judge, simulator, embedding, evaluations } = suite;
    const measured = [judge, simulator, embedding, evaluations].some((one) => one !== null);
    return agent.driver.type === 'openai' || measured;
  });
}
