import { plainSummary } from '@proofmark/domain/check-output';
import { summaryMarkdown } from '@proofmark/domain/comment';
import { wantedComment } from '@proofmark/domain/comment-update';
import { headline } from '@proofmark/domain/outcome';
import type { ReportedProblem, RunReport } from '@proofmark/domain/run-report';
import { wantedChecks } from '@proofmark/domain/wanted-checks';
import type { CoordinatorPlace } from '../job/credentials.ts';
import type { JobEnding } from '../job/decide-exit.ts';
import { foreignLine, type Job, printForeign } from '../job/job.ts';
import { workflowRunUrl } from '../report/embedded-report.ts';
import { openReporter } from '../report/open-reporter.ts';
import { writeSummary } from '../report/show-report.ts';
import type { PreparedRun } from './collect-suites.ts';
import { connectCoordinator, type UsableCredentials } from './connect-to-coordinator.ts';
import { startRunInput } from './start-run-input.ts';

/** To whom the job tells that nothing can be run. */
export type Teller =
  /** It writes the check itself: cases run inside of it. */
  | { kind: 'job' }
  | { kind: 'coordinator'; place: CoordinatorPlace; credentials: UsableCredentials }
  /** There is no way to the coordinator, which the log says. */
  | { kind: 'nobody' };

type InvalidRun = Pick<PreparedRun, 'inputs' | 'trigger' | 'collected'> & {
  problems: readonly ReportedProblem[];
  teller: Teller;
};

/** A commit may have more of them than anybody reads; the headline counts what was told. */
const mostTold = 1_000;
const mostMessageUnits = 4_000;

/**
 * Ends a job whose definitions cannot be run: in its summary, and on the check of the commit, which would else be waited for
 * for ever where it is required. Trouble with telling never changes how the job ends.
 */
export async function tellInvalid(run: InvalidRun, job: Job): Promise<JobEnding> {
  const { inputs, trigger, collected } = run;
  const { environment } = job;
  const problems = run.problems.slice(0, mostTold).map((one) => {
    return { ...one, message: one.message.slice(0, mostMessageUnits).toWellFormed() };
  });
  const told = await tellCoordinator({ ...run, problems }, job);
  const report: RunReport = {
    runId: told.runId,
    headSha: trigger.headSha,
    baseSha: null,
    baseLabel: null,
    detailsUrl: told.detailsUrl,
    fileUrl: (path, line) =>
      `${environment.serverUrl}/${environment.repository}/blob/${trigger.headSha}/${encodeURI(path)}#L${line}`,
    suites: [],
    invalid: problems,
    durationMs: null,
    costUsd: null,
  };
  const reporting = told.isKnown ? inputs.report : 'summary';
  const reporter = await openReporter({ inputs: { ...inputs, report: reporting }, trigger, ...told }, job);
  await reporter.show({
    checks: wantedChecks(report, { checkName: inputs['check-name'], runId: told.runId }),
    comment: wantedComment(report, inputs['comment-key'], inputs.comment),
  });
  Object.assign(job.outputs, {
    'run-id': told.runId,
    'report-mode': reporter.mode(),
    'suites-total': String(collected.suitePaths.length),
    outcome: 'invalid',
    conclusion: 'failure',
  });
  await writeSummary(summaryMarkdown(report), job);
  printForeign(plainSummary(report), job.write);
  job.write(`Proofmark: ${headline(report)}`);
  return { kind: 'ended', outcome: 'invalid', conclusion: 'failure' };
}

interface Told {
  runId: string;
  /** Whether the coordinator writes as the App; null where there is no coordinator. */
  hasApp: boolean | null;
  detailsUrl: string;
  /** False: nobody knows whether the App writes, so the job does not. */
  isKnown: boolean;
}

async function tellCoordinator(run: InvalidRun, job: Job): Promise<Told> {
  const { inputs, teller, problems } = run;
  const { environment } = job;
  const runId = `gha-${environment.runId}-${environment.runAttempt}-${inputs['check-name']}`;
  const own = { runId, hasApp: null, detailsUrl: workflowRunUrl(environment) };
  if (teller.kind === 'job') {
    job.outputs['execution-mode'] = 'embedded';
    return { ...own, isKnown: true };
  }
  job.outputs['execution-mode'] = 'coordinator';
  if (teller.kind === 'nobody') return { ...own, isKnown: false };
  const connection = connectCoordinator(teller.place.url, teller.credentials, job);
  const {
    files: _files,
    suitePaths: _paths,
    projectPath: _path,
    caseFiles: _caseFiles,
    ...input
  } = startRunInput({
    ...{ ...run, environment, caseFiles: [], unaffected: [] },
  });
  const sent = await connection.patient.startRun({ ...input, files: [], suitePaths: [], invalid: [...problems] });
  if (!sent.ok || !sent.answer.ok) {
    const reason = sent.ok ? (sent.answer.ok ? '' : sent.answer.refusal.message) : sent.error.message;
    job.remark({ level: 'warning', message: `The check cannot tell of the problems: ${foreignLine(reason)}` });
    return { ...own, isKnown: false };
  }
  const { runId: id, hasApp } = sent.answer;
  job.outputs['run-url'] = `${connection.url}/runs/${id}`;
  return { runId: id, hasApp, detailsUrl: `${connection.url}/runs/${id}`, isKnown: true };
}
