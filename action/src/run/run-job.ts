import { setImmediate } from 'node:timers/promises';
import { isSecureUrl } from '@proofmark/client/coordinator-client';
import type { ReportedProblem } from '@proofmark/domain/run-report';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import { z } from 'zod';
import { placeOfBase } from '../base/choose-base.ts';
import { failureOf, openForge } from '../forge/open-forge.ts';
import { type CoordinatorPlace, type Credentials, chooseCredentials } from '../job/credentials.ts';
import type { JobEnding } from '../job/decide-exit.ts';
import type { Inputs } from '../job/inputs.ts';
import { foreignLine, type Job } from '../job/job.ts';
import { isBaseBranch, type JobTrigger, readEvent, readPayload } from '../job/read-event.ts';
import { suiteSearch } from '../job/suite-search.ts';
import { dependsOnChange, readComparison } from './choose-suites.ts';
import { collectSuites, type PreparedRun } from './collect-suites.ts';
import type { UsableCredentials } from './connect-to-coordinator.ts';
import { errorsOf, reportProblems } from './report-problems.ts';
import { runInJob } from './run-in-job.ts';
import { runOnCoordinator } from './run-on-coordinator.ts';
import { type Teller, tellInvalid } from './tell-invalid.ts';

/**
 * From the event to the way the job ends. Nothing is sent before the credentials are known, but for the question what a
 * proposal changes: GitHub answers it while the files are read.
 */
export async function runJob(inputs: Inputs, job: Job): Promise<JobEnding> {
  const { environment } = job;
  const read = readPayload(environment.eventPath);
  if (!read.ok) return tell(job, 'error', read.message, { kind: 'trouble' });
  const event = readEvent(environment, read.payload);
  if (event.kind === 'refused') return tell(job, 'error', event.message, { kind: 'refused' });
  if (event.kind === 'nothing') return tell(job, 'notice', event.message, { kind: 'nothing' });
  const { trigger } = event;
  const root = environment.workspace ?? process.cwd();
  const place = placeOfBase(root, inputs['base-path']);
  if (!place.ok) return tell(job, 'error', foreignLine(place.message), { kind: 'trouble' });
  const { 'working-directory': workingDirectory, suites: patterns } = inputs;
  const search = suiteSearch({ workingDirectory, patterns, exclude: place.inside });
  const comparison = await beginComparison(inputs, trigger, job);
  const collected = collectSuites(root, search);
  if (trigger.event === 'push' && !isBaseBranch(trigger, collected.definitions.project.baseline_branches)) {
    const message = `${foreignLine(trigger.ref)} is no base branch: its pull request is evaluated instead.`;
    return tell(job, 'notice', message, { kind: 'nothing' });
  }
  reportProblems(collected.problems, job);
  const run = { inputs, trigger, collected, search, root, baseFolder: place.folder, ...comparison };
  const problems = errorsOf(collected.problems);
  return problems.length > 0 ? refuseRun(run, problems, job) : execute(run, job);
}

/** Not of a fork or of Dependabot: nothing is asked before it is known that the job has a token. */
async function beginComparison(
  inputs: Inputs,
  trigger: JobTrigger,
  job: Job,
): Promise<Pick<PreparedRun, 'comparison'>> {
  if (trigger.withoutSecrets !== null || !dependsOnChange(inputs, trigger)) return { comparison: null };
  const comparison = readComparison(inputs, trigger, job);
  // Reading the files blocks the event loop: these turns connect and send where the server is near, and else ask for its name.
  for (let turn = 0; turn < 4; turn += 1) await setImmediate();
  return { comparison };
}

async function refuseRun(run: PreparedRun, problems: readonly ReportedProblem[], job: Job): Promise<JobEnding> {
  const { inputs, trigger, collected } = run;
  const place = coordinatorPlace(inputs, collected);
  const way = place === null ? null : chooseWay(place, run, job);
  const credentials = way?.ok === true ? way.credentials.kind : null;
  const dispatched = await dispatchedCommit({ inputs, trigger, credentials }, job);
  if (!dispatched.ok) job.remark({ level: 'error', message: foreignLine(dispatched.message) });
  const ready = { inputs, collected, problems, trigger: dispatched.ok ? dispatched.trigger : trigger };
  return tellInvalid({ ...ready, teller: dispatched.ok ? tellerOf(way) : { kind: 'nobody' } }, job);
}

function tellerOf(way: Way | null): Teller {
  if (way === null) return { kind: 'job' };
  return way.ok ? { kind: 'coordinator', place: way.place, credentials: way.credentials } : { kind: 'nobody' };
}

async function execute(run: PreparedRun, job: Job): Promise<JobEnding> {
  const { inputs, trigger, collected } = run;
  const place = coordinatorPlace(inputs, collected);
  const chosen = place === null ? null : chooseWay(place, run, job);
  if (chosen !== null && !chosen.ok) return chosen.ending;
  const credentials = chosen?.credentials.kind ?? null;
  const dispatched = await dispatchedCommit({ inputs, trigger, credentials }, job);
  if (!dispatched.ok) return tell(job, 'error', foreignLine(dispatched.message), { kind: 'trouble' });
  tellLimits(inputs, chosen === null, job);
  const ready = { ...run, trigger: dispatched.trigger };
  return chosen === null ? runInJob(ready, job) : runOnCoordinator({ ...ready, ...chosen }, job);
}

type Way = { ok: true; place: CoordinatorPlace; credentials: UsableCredentials } | { ok: false; ending: JobEnding };

/** The coordinator and what the job shows it, or how the job ends without any. */
function chooseWay(place: CoordinatorPlace, { inputs, trigger }: PreparedRun, job: Job): Way {
  job.outputs['execution-mode'] = 'coordinator';
  const refuse = (message: string): Way => ({ ok: false, ending: tell(job, 'error', message, { kind: 'trouble' }) });
  const refused = refusedByCoordinator(inputs);
  if (refused !== null) return refuse(refused);
  if (!isSecureUrl(place.url)) return refuse('coordinator of proofmark.yaml must be an https URL.');
  const credentials = chooseCredentials({ inputs, place, idTokens: job.environment.idTokens, trigger });
  if (credentials.kind === 'missing') return refuse(credentials.message);
  if (credentials.kind !== 'awaiting-approval') return { ok: true, place, credentials };
  job.outputs.outcome = 'awaiting-approval';
  return { ok: false, ending: tell(job, 'notice', credentials.message, { kind: 'nothing' }) };
}

function coordinatorPlace({ coordinator }: Inputs, { definitions }: CollectedDefinitions): CoordinatorPlace | null {
  if (coordinator !== null) return { url: coordinator, from: 'input' };
  const { coordinator: url } = definitions.project;
  return url === null ? null : { url, from: 'file' };
}

function tell(job: Job, level: 'error' | 'notice', message: string, ending: JobEnding): JobEnding {
  job.remark({ level, message });
  return ending;
}

/** Why a coordinator cannot do what was asked; null when it can. Comparing with something else would be worse than no run. */
function refusedByCoordinator({ baseline }: Pick<Inputs, 'baseline'>): string | null {
  if (['auto', 'run', 'none'].includes(baseline)) return null;
  return 'A ref as baseline is for cases that run inside the job: a coordinator compares with its base runs, so use auto, run or none.';
}

/** Says before anybody waits which inputs mean nothing where the cases run. */
function tellLimits(inputs: Inputs, isEmbedded: boolean, { remark, write }: Pick<Job, 'remark' | 'write'>): void {
  if (isEmbedded) return;
  if (inputs['base-path'] !== null) {
    remark({
      level: 'warning',
      message: 'base-path is for cases that run inside the job: a coordinator does not read it.',
    });
  }
  if (inputs.baseline === 'run') {
    write(
      'baseline: run: where no base run counts, the coordinator reads the merge base through the App and runs it too.',
    );
  }
}

type Dispatched = { ok: true; trigger: JobTrigger } | { ok: false; message: string };

interface DispatchOptions {
  inputs: Pick<Inputs, 'pull-request' | 'head-sha' | 'github-token'>;
  trigger: JobTrigger;
  /** Null: the cases run inside this job. */
  credentials: Credentials['kind'] | null;
}

/**
 * The pull request that somebody named when starting the workflow by hand; without one the trigger as it is. Refused
 * when its head has moved since: what was looked at is what is run.
 */
async function dispatchedCommit({ inputs, trigger, credentials }: DispatchOptions, job: Job): Promise<Dispatched> {
  const { 'pull-request': number, 'head-sha': headSha, 'github-token': token } = inputs;
  if (number === null || headSha === null) return { ok: true, trigger };
  if (trigger.event !== 'workflow_dispatch') return refuse('pull-request and head-sha are for workflow_dispatch only.');
  // The OIDC token of such a job speaks for the commit of the branch, and the coordinator believes only the token.
  if (credentials === 'job') return refuse('pull-request and head-sha need the input api-token.');
  const forge = await openForge(token, job);
  if (forge === null) return refuse('pull-request and head-sha need the input github-token.');
  try {
    const answer = await forge.read('GET /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: number });
    const { head, base, user } = NamedPullRequest.parse(answer);
    if (head.sha !== headSha) return refuse(`The head of pull request ${number} is ${head.sha} by now.`);
    const author = user?.login ?? trigger.author;
    return { ok: true, trigger: { ...trigger, pullRequest: number, headSha, baseSha: base.sha, author } };
  } catch (error) {
    return refuse(`Pull request ${number} cannot be read: ${failureOf(error, job.now()).reason}`);
  }
}

const NamedPullRequest = z.object({
  user: z.object({ login: z.string() }).nullable(),
  head: z.object({ sha: z.string() }),
  base: z.object({ sha: z.string() }),
});

const refuse = (message: string): Dispatched => ({ ok: false, message });
