import type { ABSession, ABTestResult } from '@proofmark/contracts/ab-session';
import { countInvocation } from '@proofmark/domain/execution-stats';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { openSlots, runInSlots } from '../run/slots.ts';
import { type AnsweredPair, askPair } from './ask-pair.ts';
import { asExecution } from './execution-error.ts';
import type { AbPair } from './session-plan.ts';
import type { SessionPlan, SessionStore } from './session-store.ts';

export interface PairFinished {
  result: ABTestResult;
  done: number;
  total: number;
}

export interface SessionInput {
  store: SessionStore;
  /** New, or with the results that an earlier process got. */
  session: ABSession;
  plan: SessionPlan;
  ports: CasePorts;
  /** Told after each pair, when its result is on disk. */
  onPair?: (event: PairFinished) => void;
  /** An abort lets nothing new start; the session stays open and can be resumed. */
  signal: AbortSignal;
}

/**
 * Asks what has not been asked yet and keeps every result at once. The session has its `end_time` when every pair is
 * answered. Whatever an agent does is in its response; a fault of the engine is an `ExecutionError`.
 */
export async function runSession(input: SessionInput): Promise<ABSession> {
  const { store, plan, ports, signal } = input;
  const recorder = openRecorder(input);
  const answered = new Set(input.session.results.map(({ metadata }) => metadata.pair));
  const open = plan.pairs.filter(({ key }) => !answered.has(key));
  if (open.length === 0 && input.session.end_time !== null) return input.session;
  let stats = await asExecution('The statistics cannot be read', () => store.loadStats(input.session.session_id));
  const ask = async (pair: AbPair): Promise<void> => {
    if (signal.aborted) return;
    const context = { settings: plan.settings, ports, signal };
    const result = await askPair(pair, {
      ...context,
      onInvocation: (invocation) => {
        stats = countInvocation(stats, invocation);
      },
    });
    if (result !== undefined) await recorder.record(result, () => store.saveStats(input.session.session_id, stats));
  };
  await asExecution('The session broke off', () => runInSlots(open, openSlots(plan.settings.pairs_at_once), ask));
  return await asExecution('The session cannot be written', recorder.end);
}

/** Keeps results in the order in which they came, each with a time of its own. */
function openRecorder({ store, session: started, plan, ports, onPair }: SessionInput) {
  const results = [...started.results];
  let session: ABSession = { ...started, end_time: null };
  // One after another: two writers of one file would take its half-written twin from each other.
  let turn: Promise<void> = Promise.resolve();
  let lastMs = Math.max(0, ...results.map(({ timestamp }) => Date.parse(timestamp)));
  let written = 0;
  const save = async (): Promise<void> => {
    session = { ...session, results: [...results] };
    written = results.length;
    await store.saveSession(session);
  };
  const keep = async (answered: AnsweredPair, saveStats: () => Promise<void>): Promise<void> => {
    // The time names the file, so no two results may have the same.
    lastMs = Math.max(ports.clock.now().getTime(), lastMs + 1);
    const result: ABTestResult = {
      ...answered,
      context_tokens: plan.settings.context_tokens,
      timestamp: new Date(lastMs).toISOString(),
      session_id: session.session_id,
    };
    await store.saveResult(result);
    await saveStats();
    results.push(result);
    onPair?.({ result, done: results.length, total: plan.pairs.length });
    if (isWorthRewriting(results.length, written)) await save();
  };
  return {
    record: (answered: AnsweredPair, saveStats: () => Promise<void>): Promise<void> => {
      const kept = turn.then(() => keep(answered, saveStats));
      // A failure is the affair of its own pair; the next one tries for itself.
      turn = kept.catch(() => undefined);
      return kept;
    },
    end: async (): Promise<ABSession> => {
      const isComplete = results.length >= plan.pairs.length;
      session = { ...session, end_time: isComplete ? ports.clock.now().toISOString() : null };
      await save();
      return session;
    },
  };
}

/** The results themselves are on disk already; the file that lists them all is rewritten when it has grown by a tenth. */
const isWorthRewriting = (results: number, written: number): boolean =>
  results - written >= Math.max(1, Math.floor(written / 10));
