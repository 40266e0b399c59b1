import { ABSession } from '@proofmark/contracts/ab-session';
import { asExecution } from './execution-error.ts';
import { type AbPair, type AbSettings, modelOf, type PairSide } from './session-plan.ts';
import type { SessionPlan, SessionStore } from './session-store.ts';

export interface NewSession {
  sessionId: string;
  pairs: AbPair[];
  settings: AbSettings;
  /** File that the candidate's prompt or context comes from; '' when there is none of its own. */
  sourcePath: string;
  /** Where it runs: os, node, commit. */
  environment: Readonly<Record<string, string>>;
  notes: string;
  now: Date;
}

export type OpenedSession = { ok: true; session: ABSession; plan: SessionPlan } | { ok: false; reason: string };

/** A session that has asked nothing yet, on disk with everything that it will ask. Refused when the id is taken. */
export async function startSession(store: SessionStore, input: NewSession): Promise<OpenedSession> {
  const { sessionId, pairs, settings } = input;
  return await asExecution('The session cannot be started', async () => {
    if ((await store.loadSession(sessionId)) !== null) {
      return { ok: false, reason: `There is a session ${sessionId} already: go on with it by --resume ${sessionId}` };
    }
    const session = ABSession.parse({
      session_id: sessionId,
      start_time: input.now.toISOString(),
      ...named(
        'baseline_model',
        modelsOf(pairs, ({ baseline }) => baseline),
      ),
      ...named(
        'candidate_model',
        modelsOf(pairs, ({ candidate }) => candidate),
      ),
      llms_source_path: input.sourcePath,
      environment: { ...input.environment, ...strategyOf(settings) },
      notes: input.notes,
    });
    const plan = { settings, pairs };
    await store.savePlan(sessionId, plan);
    await store.saveSession(session);
    return { ok: true, session, plan };
  });
}

/** A session where it stopped, with the pairs and the settings it was started with. */
export async function resumeSession(store: SessionStore, sessionId: string): Promise<OpenedSession> {
  return await asExecution('The session cannot be resumed', async () => {
    const session = await store.loadSession(sessionId);
    if (session === null) return { ok: false, reason: `There is no session ${sessionId}` };
    const plan = await store.loadPlan(sessionId);
    if (plan === null) return { ok: false, reason: `The session ${sessionId} does not say what is still to be asked` };
    return { ok: true, session, plan };
  });
}

/** The seed of the order stands in the session itself, so that the order can be had again. */
function strategyOf({ concurrent, order_seed, cache_reset_ms }: AbSettings): Record<string, string> {
  if (concurrent) return { strategy: 'concurrent' };
  const pause = { cache_reset_ms: String(cache_reset_ms) };
  return order_seed === null ? { strategy: 'sequential', ...pause } : { strategy: 'randomized', order_seed, ...pause };
}

function modelsOf(pairs: readonly AbPair[], side: (pair: AbPair) => PairSide): string[] {
  return [...new Set(pairs.map(side).flatMap((one) => ('work' in one ? [modelOf(one.work)] : [])))];
}

/** Without a known model the seed's own name stays. */
const named = (key: string, models: readonly string[]): Record<string, string> =>
  models.length === 0 ? {} : { [key]: models.join(', ') };
