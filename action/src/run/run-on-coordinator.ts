import type { Refusal } from '@proofmark/client/refusal';
import type { AnsweredReport } from '@proofmark/client/run';
import type { ClientError } from '@proofmark/client/send-operation';
import { sendRun } from '@proofmark/client/send-run';
import { type Watched, watchRun } from '@proofmark/client/watch-run';
import type { StartRequest } from '@proofmark/contracts/start-run-input';
import type { ReportedProblem } from '@proofmark/domain/run-report';
import { hashCaseFiles, readCaseFile } from '@proofmark/embedded/case-files';
import type { CoordinatorPlace } from '../job/credentials.ts';
import type { JobEnding, ReportMode } from '../job/decide-exit.ts';
import { foreignLine, type Job } from '../job/job.ts';
import { fromCoordinator, outputsOf } from '../job/job-report.ts';
import { type CoordinatorReport, coordinatorReport } from '../report/coordinator-report.ts';
import { openReporter } from '../report/open-reporter.ts';
import { showReport } from '../report/show-report.ts';
import { chooseSuites, dependsOnChange, readComparison } from './choose-suites.ts';
import type { PreparedRun } from './collect-suites.ts';
import { type CoordinatorConnection, connectCoordinator, type UsableCredentials } from './connect-to-coordinator.ts';
import { errorsOf, reportProblems } from './report-problems.ts';
import { startRunInput } from './start-run-input.ts';
import { tellInvalid } from './tell-invalid.ts';
import { traceJob } from './trace-job.ts';
import { writeJobResults } from './write-results.ts';

interface CoordinatorRun extends PreparedRun {
  place: CoordinatorPlace;
  credentials: UsableCredentials;
}

/** Sends the run, waits for it and shows what came of it. The way it ended decides the exit code. */
export async function runOnCoordinator(run: CoordinatorRun, job: Job): Promise<JobEnding> {
  const trace = traceJob(job, { suites: run.collected.definitions.suites.length });
  const ending = await sendAndFollow(run, trace.traceparent, job);
  await trace.end(ending);
  return ending;
}

async function sendAndFollow(run: CoordinatorRun, traceparent: string | undefined, job: Job): Promise<JobEnding> {
  const { inputs, trigger, place, credentials, root } = run;
  const connection = connectCoordinator(place.url, credentials, job, traceparent);
  const unaffected = await findUnaffected(run, job);
  const caseFiles = await hashCaseFiles(run.collected.definitions.suites, root);
  const input = startRunInput({ ...run, unaffected, caseFiles, environment: job.environment });
  const submitted = await submitRun(connection, input, root, job);
  if (!submitted.ok) {
    if (job.signal.aborted) return tellUnfinished({ kind: 'interrupted' }, job);
    const { ending, problems } = submitted;
    if (problems.length === 0) return ending;
    return tellInvalid({ ...run, problems, teller: { kind: 'coordinator', place, credentials } }, job);
  }
  const { runId, hasApp } = submitted;
  // Whatever happens to this process: the clean-up step knows which run to end.
  job.saveState('run-id', runId);
  job.saveState('coordinator-url', connection.url);
  job.saveState('audience', credentials.kind === 'job' ? credentials.audience : '');
  const detailsUrl = `${connection.url}/runs/${runId}`;
  const reporter = await openReporter({ inputs, trigger, hasApp, detailsUrl }, job);
  const reportMode = reporter.mode();
  Object.assign(job.outputs, { 'run-id': runId, 'run-url': detailsUrl, 'report-mode': reportMode, outcome: 'pending' });
  job.write(detailsUrl);
  if (!inputs.wait && reportMode === 'app') return { kind: 'pending', isWanted: true };
  if (!inputs.wait) job.remark({ level: 'warning', message: 'wait: false needs the App: waiting for the result.' });
  const report = coordinatorReport({ reporter, client: connection.patient, runId, onError: inputs['on-error'] }, job);
  const ending = await follow({ run, connection, runId, report, reportMode: reporter.mode }, job);
  job.outputs['report-mode'] = reporter.mode();
  return ending;
}

async function findUnaffected({ inputs, trigger, collected, comparison: asked }: CoordinatorRun, job: Job) {
  const { suites } = collected.definitions;
  if (!dependsOnChange(inputs, trigger)) return [];
  const comparison = await (asked ?? readComparison(inputs, trigger, job));
  return chooseSuites({ inputs, trigger, suites, comparison }, job).unaffected;
}

interface StartedRun {
  run: CoordinatorRun;
  connection: CoordinatorConnection;
  runId: string;
  report: CoordinatorReport;
  /** It changes when it turns out that nothing can be written. */
  reportMode: () => ReportMode;
}

async function follow(started: StartedRun, job: Job): Promise<JobEnding> {
  const { run, connection, runId, report } = started;
  await report.begin();
  const timeoutMs = run.inputs['timeout-minutes'] * 60_000;
  const ports = { ...job, pollMs: job.environment.pollMs };
  const watched = await watchRun({ ports, client: connection.quick, runId, timeoutMs, onLook: report.progress });
  if (watched.kind === 'ended') {
    await report.end();
    return showEnded(started, job);
  }
  const [conclusion, title] = endOfChecks[watched.kind];
  await report.giveUp(conclusion, title);
  return tellUnfinished(watched, job);
}

const endOfChecks = {
  timeout: ['timed_out', 'Not finished after timeout-minutes: the run goes on without this job'],
  interrupted: ['cancelled', 'Cancelled: job cancelled'],
  refused: [null, 'No verdict: the coordinator does not show the run'],
  lost: [null, 'No verdict: the coordinator is gone'],
} as const;

function tellUnfinished(watched: Exclude<Watched, { kind: 'ended' }>, { remark, write, outputs }: Job): JobEnding {
  switch (watched.kind) {
    case 'timeout':
      remark({
        level: 'warning',
        message: 'The run is not finished after timeout-minutes; it goes on without this job.',
      });
      return { kind: 'pending', isWanted: false };
    case 'interrupted':
      write('The job was cancelled.');
      outputs.outcome = 'cancelled';
      return { kind: 'ended', outcome: 'cancelled', conclusion: 'cancelled' };
    case 'refused':
      remark({ level: 'error', message: foreignLine(watched.message) });
      return { kind: 'trouble' };
    case 'lost':
      remark({ level: 'error', message: `The coordinator is gone for 5 minutes: ${foreignLine(watched.message)}` });
      return { kind: 'unreachable' };
  }
}

async function showEnded({ run, connection, runId, reportMode }: StartedRun, job: Job): Promise<JobEnding> {
  const sent = await connection.patient.runReport(runId);
  if (!sent.ok || sent.answer === null) {
    const message = sent.ok ? 'the run is gone' : sent.error.message;
    job.remark({ level: 'error', message: `The result cannot be read: ${foreignLine(message)}` });
    return { kind: sent.ok || !sent.error.isTransient ? 'trouble' : 'unreachable' };
  }
  const report = fromCoordinator(sent.answer);
  Object.assign(job.outputs, outputsOf(report));
  const results = await collectResults(connection, sent.answer, job);
  job.outputs['results-path'] = (await writeJobResults(run.inputs['check-name'], results, job)) ?? '';
  await showReport(report, reportMode(), job);
  return { kind: 'ended', outcome: report.outcome, conclusion: report.conclusion };
}

/** The reports of all suite runs, one request after another; one that cannot be had is null. */
async function collectResults(
  { quick, url }: CoordinatorConnection,
  { suiteRuns, ...run }: AnsweredReport,
  { remark }: Job,
): Promise<unknown> {
  const suites: unknown[] = [];
  for (const { id, suiteName, suitePath, cellKey, verdict } of suiteRuns) {
    const sent = await quick.suiteRunReport(id);
    if (!sent.ok) {
      const message = `There is no report of ${foreignLine(suiteName)} in results-path: ${foreignLine(sent.error.message)}`;
      remark({ level: 'warning', message });
    }
    suites.push({
      suite: suiteName,
      suite_path: suitePath,
      cell: cellKey,
      verdict,
      report: sent.ok ? sent.answer : null,
    });
  }
  const { outcome, headline } = run.feedback;
  return { run_id: run.id, run_url: `${url}/runs/${run.id}`, outcome, conclusion: run.conclusion, headline, suites };
}

type Submitted =
  | { ok: true; runId: string; hasApp: boolean }
  /** `problems`: why what was sent can never be run; empty where another try may go well. */
  | { ok: false; ending: JobEnding; problems: readonly ReportedProblem[] };

/** Hands the run over, with the files of the checkout that its cases name, and tells what came of it. */
async function submitRun(
  { patient }: CoordinatorConnection,
  input: StartRequest,
  root: string,
  job: Job,
): Promise<Submitted> {
  const { now, pause, signal, environment, write } = job;
  const sent = await sendRun({
    client: patient,
    input,
    now,
    pause,
    signal,
    readFile: (path) => readCaseFile(path, root),
    patienceMs: environment.retryMs,
    onWait: (message) => write(`Waiting for the coordinator: ${foreignLine(message)}`),
  });
  if (!sent.ok) {
    switch (sent.reason) {
      case 'too-large':
        job.remark({ level: 'error', message: sent.message });
        return { ok: false, ending: { kind: 'trouble' }, problems: [about(sent.message)] };
      case 'not-sent':
        return { ok: false, ending: tellNotSent(sent.error, input, job), problems: [] };
      case 'refused':
        return { ok: false, ending: tellRefusal(sent.refusal, input, job), problems: wrongIn(sent.refusal) };
    }
  }
  const { runId, created, isDelayed, hasApp, warnings } = sent;
  // What stands in a file was told when it was read.
  reportProblems(
    warnings.filter(({ file }) => file === ''),
    job,
  );
  write(created ? `Run ${runId} was accepted.` : `Run ${runId} was accepted before; joining it.`);
  if (isDelayed) write('Its test runs leave as soon as the broker of the coordinator is back.');
  return { ok: true, runId, hasApp };
}

const about = (message: string): ReportedProblem => ({ file: '', line: 1, message });

/** What is wrong in the files, else in the inputs of the job. */
function wrongIn({ problems, arguments: wrong }: Refusal): ReportedProblem[] {
  return [...errorsOf(problems), ...wrong.map(({ path, message }) => about(`${path}: ${message}`))];
}

function tellNotSent({ isTransient, message, code }: ClientError, input: StartRequest, job: Job): JobEnding {
  if (job.signal.aborted) return { kind: 'nothing' };
  const level = isTransient && input.settings?.onError === 'ALLOW' ? 'warning' : 'error';
  job.remark({ level, message: `The run was not started (${foreignLine(code)}): ${foreignLine(message)}` });
  return { kind: isTransient ? 'unreachable' : 'trouble' };
}

function tellRefusal(refusal: Refusal, { settings }: StartRequest, job: Job): JobEnding {
  reportProblems(refusal.problems, job);
  for (const { path, message } of refusal.arguments) {
    job.remark({ level: 'error', message: foreignLine(`${path}: ${message}`) });
  }
  const conflict = refusal.runId === null ? '' : ` (run ${refusal.runId})`;
  // The key of a job holds its workflow run, its attempt, the commit and this name: all that can differ is what is run.
  const [message, code] =
    refusal.code === 'IDEMPOTENCY_CONFLICT'
      ? [sharedName(settings?.checkName ?? 'proofmark'), 'duplicate_check_name']
      : [foreignLine(refusal.message), foreignLine(refusal.code)];
  job.remark({ level: 'error', message: `${message}${conflict} [${code}]` });
  return { kind: 'trouble' };
}

const sharedName = (checkName: string): string =>
  `Another job or step of this workflow run has sent other suites or inputs under the check name ${checkName}, so this one was not run: give each of them a check-name of its own.`;
