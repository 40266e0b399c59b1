import { randomUUID } from 'node:crypto';
import type { CoordinatorClient, Sent, StartedRun } from '@proofmark/client/coordinator-client';
import { type SentRun, sendRun } from '@proofmark/client/send-run';
import { watchRun } from '@proofmark/client/watch-run';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { StartRequest } from '@proofmark/contracts/start-run-input';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { hashCaseFiles, readCaseFile } from '@proofmark/embedded/case-files';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import { type CommandContext, type CommandResult, done } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { refuseProblems } from '../arguments/open-definitions.ts';
import { problemText } from '../output/problem-text.ts';
import { paint, plain, type Terminal } from '../output/terminal.ts';
import type { EndedRun } from '../run/tell-run.ts';
import { type KeptResult, keepResult } from './keep-result.ts';
import { errorWords, type OpenCoordinator } from './open-coordinator.ts';

interface StartThere {
  coordinator: OpenCoordinator;
  collected: CollectedDefinitions;
  request: RunRequest;
  /** Only these, by their names; none: all of them. */
  suites?: readonly string[];
  /** A run of the coordinator whose answers are judged; absent: agents are asked. */
  rescores?: string;
  /** Two agents side by side; absent: the agent of each suite alone. */
  comparison?: StartRequest['comparison'];
  /** The project of the chosen paths: where the files of cases lie. */
  root: string;
  json: boolean;
}

interface RunThere extends StartThere {
  resultsDirectory: string;
}

type Accepted = Pick<Extract<SentRun, { ok: true }>, 'runId' | 'isDelayed'>;

/** A run that has ended, or the way in which the command ends without one; that is told already. */
type EndedThere = { ok: true; runId: string } | { ok: false; result: CommandResult };

type RanThere =
  | { ok: true; runId: string; ended: EndedRun; isUnjudged: boolean }
  /** How the command ends without a result; it is told already. */
  | { ok: false; result: CommandResult };

const ending = (code: (typeof exitCodes)[keyof typeof exitCodes]): { ok: false; result: CommandResult } => ({
  ok: false,
  result: done(code),
});

/** Sends the run, waits for its end and keeps its reports here. An interruption cancels it at the coordinator. */
export async function runThere(run: RunThere, context: CommandContext): Promise<RanThere> {
  const ended = await startThere(run, context);
  const { suites } = run.collected.definitions;
  return ended.ok ? await fetchResult(ended.runId, { ...run, suites }, context) : ended;
}

/** Sends the run and waits for its end. An interruption cancels it at the coordinator. */
export async function startThere(run: StartThere, context: CommandContext): Promise<EndedThere> {
  const { coordinator, collected, request, suites: chosen = [], root, comparison, rescores } = run;
  const { terminal, signal, environment } = context;
  const say = (line: string) => terminal.writeError(`${plain(line)}\n`);
  const { suites } = collected.definitions;
  const input = runInput({
    ...{ collected, request, chosen, comparison, rescores, caseFiles: await hashCaseFiles(suites, root) },
  });
  const send: Start = (client) =>
    sendRun({
      client,
      input,
      readFile: (path) => readCaseFile(path, root),
      patienceMs: environment.retryMs,
      now: Date.now,
      pause: coordinator.pause,
      signal,
      onWait: (message) => say(`Waiting for the coordinator: ${message}`),
    });
  const sent = await startOnce(send, coordinator, context);
  if (!sent.ok) return tellNotStarted(sent, { files: collected.files, json: run.json }, context);
  tellWarnings(sent.warnings, run, context);
  return await follow(sent, coordinator, context);
}

/** Asks for a run with a key of its own, so that however often it is asked for, it starts once. */
type Start = (client: CoordinatorClient) => Promise<SentRun>;

/** Starts a run. One that was interrupted before it was answered may have begun all the same: only its id can cancel it. */
async function startOnce(
  start: Start,
  coordinator: OpenCoordinator,
  { terminal, signal }: CommandContext,
): Promise<SentRun> {
  const isUnknown = (sent: SentRun): boolean => !sent.ok && sent.reason === 'not-sent' && sent.error.isTransient;
  const say = (line: string) => terminal.writeError(`${plain(line)}\n`);
  const first = await start(coordinator.patient);
  if (!signal.aborted || !isUnknown(first)) return first;
  say('The coordinator has not said whether the run has begun. It is asked once more, to cancel the run.');
  const again = await start(coordinator.lasting);
  if (isUnknown(again)) say(`Whether the run has begun is not known: ${coordinator.url}/runs`);
  return again;
}

/** Waits for the end of a run that was accepted. */
async function follow(
  { runId, isDelayed }: Accepted,
  coordinator: OpenCoordinator,
  { terminal, signal, environment }: CommandContext,
): Promise<EndedThere> {
  const say = (line: string) => terminal.writeError(`${plain(line)}\n`);
  say(`Run ${runId} was accepted: ${coordinator.url}/runs/${runId}`);
  if (isDelayed) say('Its test runs leave as soon as the broker of the coordinator is back.');
  const ports = { write: say, pause: coordinator.pause, now: Date.now, signal, pollMs: environment.pollMs };
  const watched = await watchRun({ ports, client: coordinator.quick, runId, timeoutMs: Number.POSITIVE_INFINITY });
  switch (watched.kind) {
    case 'refused':
    case 'lost':
      say(`${watched.message} The run may go on without this command: ${coordinator.url}/runs/${runId}`);
      return ending(exitCodes.notJudged);
    case 'interrupted':
      if (!(await cancel(runId, coordinator, say))) return ending(exitCodes.interrupted);
      break;
    case 'ended':
    case 'timeout':
  }
  return { ok: true, runId };
}

/** Asks for a run of what the coordinator has already; with the same key it is the same run. */
export type Begin = (client: CoordinatorClient, idempotencyKey: string) => Promise<Sent<StartedRun>>;

interface BeginThere {
  coordinator: OpenCoordinator;
  begin: Begin;
  resultsDirectory: string;
  json: boolean;
}

/** Begins a run of what the coordinator has already, waits for its end and keeps its reports here. */
export async function beginThere(run: BeginThere, context: CommandContext): Promise<RanThere> {
  const { coordinator, begin, json } = run;
  const idempotencyKey = `cli:${randomUUID()}`;
  const start: Start = async (client) => {
    const sent = await begin(client, idempotencyKey);
    if (!sent.ok) return { ok: false, reason: 'not-sent', error: sent.error };
    return sent.answer.ok ? sent.answer : { ok: false, reason: 'refused', refusal: sent.answer.refusal };
  };
  const started = await startOnce(start, coordinator, context);
  if (!started.ok) return tellNotStarted(started, { files: [], json }, context);
  if (started.warnings.length > 0) context.terminal.writeError(problemText(started.warnings, []));
  const ended = await follow(started, coordinator, context);
  return ended.ok ? await fetchResult(ended.runId, { ...run, suites: [] }, context) : ended;
}

function tellNotStarted(
  sent: Extract<SentRun, { ok: false }>,
  { files, json }: { files: CollectedDefinitions['files']; json: boolean },
  context: CommandContext,
): { ok: false; result: CommandResult } {
  const { terminal, signal } = context;
  const say = (line: string) => terminal.writeError(`${plain(line)}\n`);
  if (signal.aborted) return ending(exitCodes.interrupted);
  switch (sent.reason) {
    case 'too-large':
      say(sent.message);
      return ending(exitCodes.wrongUsage);
    case 'not-sent':
      say(`The run was not started (${sent.error.code}): ${errorWords(sent.error)}`);
      return ending(sent.error.isTransient ? exitCodes.notJudged : exitCodes.wrongUsage);
    case 'refused': {
      const { code, message, problems, arguments: wrong, retryAfterMs } = sent.refusal;
      for (const { path, message: why } of wrong) say(`${path}: ${why}`);
      say(`The coordinator did not take the run (${code}): ${message}`);
      if (problems.length > 0) return { ok: false, result: refuseProblems(problems, { context, files, json }) };
      return ending(retryAfterMs === null && code !== 'MISSING_BLOBS' ? exitCodes.wrongUsage : exitCodes.notJudged);
    }
  }
}

/** What the coordinator remarks beyond what was found and told here. */
function tellWarnings(
  warnings: CollectedDefinitions['problems'],
  { collected }: StartThere,
  { terminal }: CommandContext,
): void {
  const keyOf = ({ file, line, message }: CollectedDefinitions['problems'][number]) =>
    JSON.stringify([file, line, message]);
  const known = new Set(collected.problems.map(keyOf));
  const unknown = warnings.filter((warning) => !known.has(keyOf(warning)));
  if (unknown.length > 0) terminal.writeError(problemText(unknown, collected.files));
}

const cancelledWithinMs = 10_000;

/** Cancels the run and waits a moment for its last numbers; false when it could not be cancelled. */
async function cancel(runId: string, { lasting }: OpenCoordinator, say: (line: string) => void): Promise<boolean> {
  const sent = await lasting.cancelRun(runId);
  if (!sent.ok || !sent.answer.ok) {
    const why = sent.ok ? (sent.answer.ok ? '' : sent.answer.refusal.message) : errorWords(sent.error);
    say(`Run ${runId} could not be cancelled: ${why} Try: proofmark cancel ${runId}`);
    return false;
  }
  say(`Run ${runId} is cancelled.`);
  const calm = new AbortController().signal;
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const ports = { write: () => undefined, pause, now: Date.now, signal: calm, pollMs: 200 };
  await watchRun({ ports, client: lasting, runId, timeoutMs: cancelledWithinMs });
  return true;
}

interface KeptThere extends Pick<RunThere, 'coordinator' | 'resultsDirectory'> {
  /** As they are here; none of what is only stored there. */
  suites: CollectedDefinitions['definitions']['suites'];
}

async function fetchResult(
  runId: string,
  { coordinator, suites, resultsDirectory }: KeptThere,
  { terminal, signal, version }: CommandContext,
): Promise<RanThere> {
  const runUrl = `${coordinator.url}/runs/${runId}`;
  const kept = await keepResult({ client: coordinator.lasting, runId, runUrl, suites, resultsDirectory, version });
  if (!kept.ok || kept.answer === null) {
    const why = kept.ok ? 'the run is gone' : errorWords(kept.error);
    terminal.writeError(`The result of run ${runId} cannot be read: ${plain(why)}\n`);
    return ending(signal.aborted ? exitCodes.interrupted : exitCodes.notJudged);
  }
  const { folder, suiteRuns, failed, unjudged, incomplete } = kept.answer;
  terminal.writeError(failedLines(failed, terminal));
  for (const line of incomplete) terminal.writeError(`${line}\n`);
  for (const line of unjudged) terminal.writeError(`No verdict: ${line}\n`);
  const ended: EndedRun = { ok: true, isInterrupted: signal.aborted, folder, suiteRuns, warnings: [] };
  return { ok: true, runId, ended, isUnjudged: unjudged.length > 0 };
}

/** What did not pass, in the form of the progress of a run in this process, and how to repeat it. */
function failedLines(failed: KeptResult['failed'], terminal: Terminal): string {
  return failed
    .map(({ place, summary, testRunId }) => {
      const title = `${paint(terminal, 'red', 'FAILED ')}  ${place}\n`;
      return `${title}         ${plain(summary)}\n         proofmark replay ${testRunId}\n`;
    })
    .join('');
}

interface Parts {
  collected: CollectedDefinitions;
  request: RunRequest;
  chosen: readonly string[];
  comparison: StartRequest['comparison'];
  rescores: string | undefined;
  caseFiles: FileContent[];
}

/** Everything that a coordinator needs to run what was typed. It belongs to no repository of the forge: nothing is reported there. */
function runInput({ collected, request, chosen, comparison, rescores, caseFiles }: Parts): StartRequest {
  const { cases, tags, difficulty, assignments, matrixAssignments, preset, repetitions } = request;
  return {
    idempotencyKey: `cli:${randomUUID()}`,
    trigger: { triggeredBy: 'MANUAL' },
    files: collected.files,
    suitePaths: collected.suitePaths,
    projectPath: collected.projectPath ?? null,
    caseFiles,
    selection: { cases, tags, difficulty, suites: [...chosen] },
    assignments,
    preset,
    matrix: matrixAssignments,
    repetitions,
    ...(comparison === undefined ? {} : { comparison }),
    ...(rescores === undefined ? {} : { rescores }),
  };
}
