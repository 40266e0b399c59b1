import type { RunReport } from '@proofmark/client/run-report';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import { type Connection, connect, type UsableCredentials } from './connect.ts';
import type { CoordinatorPlace } from './credentials.ts';
import type { Ending, ReportMode } from './decide-exit.ts';
import type { Inputs } from './inputs.ts';
import type { Job } from './job.ts';
import { foreignLine } from './job-log.ts';
import { fromCoordinator, outputsOf } from './job-report.ts';
import type { Trigger } from './read-event.ts';
import { showReport } from './show-report.ts';
import { startRunInput } from './start-run-input.ts';
import { submitRun } from './submit-run.ts';
import { type Watched, watchRun } from './watch-run.ts';
import { writeResults } from './write-results.ts';

export interface CoordinatorRun {
  inputs: Inputs;
  trigger: Trigger;
  collected: CollectedDefinitions;
  place: CoordinatorPlace;
  credentials: UsableCredentials;
}

/** Sends the run, waits for it and shows what came of it. The way it ended decides the exit code. */
export async function runOnCoordinator(run: CoordinatorRun, job: Job): Promise<Ending> {
  const { inputs, place, credentials } = run;
  const connection = connect(place.url, credentials, job);
  const submitted = await submitRun(connection, startRunInput({ ...run, environment: job.environment }), job);
  if (!submitted.ok) return job.signal.aborted ? tellUnfinished({ kind: 'interrupted' }, job) : submitted.ending;
  const { runId } = submitted;
  // Whatever happens to this process: the clean-up step knows which run to end.
  job.saveState('run-id', runId);
  job.saveState('coordinator-url', connection.url);
  job.saveState('audience', credentials.kind === 'job' ? credentials.audience : '');
  const runUrl = `${connection.url}/runs/${runId}`;
  const reportMode = chooseReportMode(inputs, connection, job);
  Object.assign(job.outputs, { 'run-id': runId, 'run-url': runUrl, 'report-mode': reportMode, outcome: 'pending' });
  job.write(runUrl);
  if (!inputs.wait && reportMode === 'app') return { kind: 'pending', isWanted: true };
  if (!inputs.wait) job.remark({ level: 'warning', message: 'wait: false needs the App: waiting for the result.' });
  const timeoutMs = inputs['timeout-minutes'] * 60_000;
  const watched = await watchRun({ job, client: connection.quick, runId, timeoutMs });
  if (watched.kind !== 'ended') return tellUnfinished(watched, job);
  return showEnded({ connection, runId, reportMode, checkName: inputs['check-name'] }, job);
}

/** The coordinator said with the token whether the App is there; with an API token only the input can say it. */
function chooseReportMode({ report }: Inputs, { runToken }: Connection, job: Job): ReportMode {
  const hasApp = runToken()?.hasApp ?? null;
  const mayBeApp = report === 'auto' || report === 'app';
  if (mayBeApp && (hasApp === true || (hasApp === null && report === 'app'))) return 'app';
  if (report === 'summary') return 'summary';
  const message = `The result is in the summary of this job only: ${whyNoApp(hasApp)}`;
  if (report === 'auto') job.write(message);
  else job.remark({ level: 'warning', message });
  return 'summary';
}

function whyNoApp(hasApp: boolean | null): string {
  if (hasApp === null) return 'an API token does not tell whether the App is installed; use report: app when it is.';
  if (hasApp) return 'this version does not write with the token of the job; use report: app.';
  const permissions = 'the job needs no more permissions than contents: read and id-token: write.';
  return `install the Proofmark App to get checks and a comment; ${permissions}`;
}

function tellUnfinished(watched: Exclude<Watched, { kind: 'ended' }>, { remark, write, outputs }: Job): Ending {
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

interface EndedRun {
  connection: Connection;
  runId: string;
  reportMode: ReportMode;
  checkName: string;
}

async function showEnded({ connection, runId, reportMode, checkName }: EndedRun, job: Job): Promise<Ending> {
  const sent = await connection.patient.runReport(runId);
  if (!sent.ok || sent.answer === null) {
    const message = sent.ok ? 'the run is gone' : sent.error.message;
    job.remark({ level: 'error', message: `The result cannot be read: ${foreignLine(message)}` });
    return { kind: sent.ok || !sent.error.isTransient ? 'trouble' : 'unreachable' };
  }
  const report = fromCoordinator(sent.answer);
  Object.assign(job.outputs, outputsOf(report));
  const results = await collectResults(connection, sent.answer);
  job.outputs['results-path'] = (await writeResults(checkName, results, job)) ?? '';
  await showReport(report, reportMode, job);
  return { kind: 'ended', outcome: report.outcome, conclusion: report.conclusion };
}

/** The reports of all suite runs, one request after another; one that cannot be had is null. */
async function collectResults({ quick, url }: Connection, { suiteRuns, ...run }: RunReport): Promise<unknown> {
  const suites: unknown[] = [];
  for (const { id, suiteName, suitePath, cellKey, verdict } of suiteRuns) {
    const sent = await quick.suiteRunReport(id);
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
