import { noRunners } from '@proofmark/contracts/pool';
import type { CoordinatorClient } from './coordinator-client.ts';
import type { RunProgress } from './operations/run.ts';
import type { ClientError } from './send-operation.ts';

export type Watched =
  | { kind: 'ended' }
  | { kind: 'timeout' }
  | { kind: 'interrupted' }
  /** The coordinator answered that it does not know the run, or that this token may not see it. */
  | { kind: 'refused'; message: string }
  | { kind: 'lost'; message: string };

export interface WatchPorts {
  /** Told of every change, in one line. */
  write: (line: string) => void;
  pause: (ms: number) => Promise<void>;
  now: () => number;
  signal: AbortSignal;
  /** The first pause; later ones are longer. */
  pollMs: number;
}

interface WatchOptions {
  ports: WatchPorts;
  /** Tries once for each question: the loop here is the retry. */
  client: Pick<CoordinatorClient, 'runProgress'>;
  runId: string;
  /** Infinite: as long as it takes. */
  timeoutMs: number;
  /** After every look at a run that goes on. */
  onLook?: () => Promise<void>;
}

/** A run goes on without anybody watching, so a coordinator that restarts is waited for this long. */
const lostAfterMs = 5 * 60_000;
const growth = 1.5;
const slowest = 5;

/** Looks at the run from time to time until it has ended or waiting for it makes no sense any more. */
export async function watchRun({ ports, client, runId, timeoutMs, onLook }: WatchOptions): Promise<Watched> {
  const { pause, now, signal, pollMs } = ports;
  const deadline = now() + timeoutMs;
  const look = makeLook(ports, client, runId);
  for (let pauseMs = pollMs; ; pauseMs = Math.min(pauseMs * growth, pollMs * slowest)) {
    const seen = await look();
    if (signal.aborted) return { kind: 'interrupted' };
    if (seen !== null) return seen;
    await onLook?.();
    if (now() + pauseMs >= deadline) return { kind: 'timeout' };
    await pause(pauseMs);
    if (signal.aborted) return { kind: 'interrupted' };
  }
}

/** One look at the run: null while there is something to wait for. Prints a line whenever something has changed. */
function makeLook({ write, now, signal }: WatchPorts, client: WatchOptions['client'], runId: string) {
  let lastAnswerMs = now();
  let shown = '';
  const show = (line: string) => {
    if (line !== shown) write(line);
    shown = line;
  };
  return async (): Promise<Watched | null> => {
    const sent = await client.runProgress(runId);
    if (signal.aborted) return null;
    if (!sent.ok) {
      show(`Waiting for the coordinator: ${sent.error.message}`);
      return giveUp(sent.error, now() - lastAnswerMs);
    }
    if (sent.answer === null) return { kind: 'refused', message: `The coordinator knows no run ${runId}.` };
    lastAnswerMs = now();
    show(progressLine(sent.answer));
    return sent.answer.isEnded ? { kind: 'ended' } : null;
  };
}

function giveUp({ isTransient, message }: ClientError, silentMs: number): Watched | null {
  if (!isTransient) return { kind: 'refused', message };
  return silentMs >= lostAfterMs ? { kind: 'lost', message } : null;
}

/** `34/150 test runs, 1 of 3 suite runs done`; a single suite run needs no second half, and somebody who is missing is named. */
function progressLine(progress: RunProgress): string {
  const { finishedCases, totalCases, finishedSuiteRuns, totalSuiteRuns, poolsWithoutRunners } = progress;
  const suiteRuns = totalSuiteRuns <= 1 ? '' : `${finishedSuiteRuns} of ${totalSuiteRuns} suite runs done`;
  const parts = [`${finishedCases}/${totalCases} test runs`, suiteRuns, noRunners(poolsWithoutRunners)];
  return parts.filter((part) => part !== '').join(', ');
}
