import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ABSession, SessionId } from '@proofmark/contracts/ab-session';
import type { Problem } from '@proofmark/contracts/problem';
import type { PlannedTestRun } from '@proofmark/domain/plan-run';
import { type AskedPair, planSides, type SidesInput } from '@proofmark/domain/plan-sides';
import { inputOf, isJudged, measuredModel, questionMetadata } from '@proofmark/domain/questions';
import { readCaseFile } from '../definitions/case-files.ts';
import { heldWords, lockFolder } from '../resume/lock-folder.ts';
import {
  type AbPair,
  type AbSettings,
  asExecution,
  type ComparisonPlan,
  type ComparisonStore,
  type PairSide,
} from './comparison-store.ts';

interface NewComparison {
  comparisonId: string;
  pairs: AbPair[];
  settings: AbSettings;
  /** File that the candidate's prompt or context comes from; '' when there is none of its own. */
  sourcePath: string;
  /** Where it runs: os, node, commit. */
  environment: Readonly<Record<string, string>>;
  notes: string;
  now: Date;
}

export type OpenedComparison =
  | { ok: true; comparison: ABSession; plan: ComparisonPlan }
  | { ok: false; reason: string };

/** A comparison that has asked nothing yet, on disk with everything that it will ask. Refused when the id is taken. */
export async function startComparison(store: ComparisonStore, input: NewComparison): Promise<OpenedComparison> {
  const { comparisonId, pairs, settings } = input;
  return await asExecution('The session cannot be started', async () => {
    if ((await store.loadComparison(comparisonId)) !== null) {
      return {
        ok: false,
        reason: `There is a session ${comparisonId} already: go on with it by --resume ${comparisonId}`,
      };
    }
    const comparison = ABSession.parse({
      session_id: comparisonId,
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
      environment: { ...input.environment, ...strategyOf(settings), ...triesOf(settings) },
      notes: input.notes,
    });
    const plan = { settings, pairs };
    await store.savePlan(comparisonId, plan);
    await store.saveComparison(comparison);
    return { ok: true, comparison, plan };
  });
}

/** A comparison where it stopped, with the pairs and the settings it was started with. */
export async function resumeComparison(store: ComparisonStore, comparisonId: string): Promise<OpenedComparison> {
  return await asExecution('The session cannot be resumed', async () => {
    const comparison = await store.loadComparison(comparisonId);
    if (comparison === null) return { ok: false, reason: `There is no session ${comparisonId}` };
    const plan = await store.loadPlan(comparisonId);
    if (plan === null)
      return { ok: false, reason: `The session ${comparisonId} does not say what is still to be asked` };
    return { ok: true, comparison, plan };
  });
}

/** How often a side is asked, and how long it waits between. */
const triesOf = ({ max_attempts, initial_delay_ms, backoff_factor }: AbSettings): Record<string, string> => ({
  max_attempts: String(max_attempts),
  initial_delay_ms: String(initial_delay_ms),
  backoff_factor: String(backoff_factor),
});

/** The seed of the order stands in the comparison itself, so that the order can be had again. */
function strategyOf({ concurrent, order, order_seed, cache_reset_ms }: AbSettings): Record<string, string> {
  if (concurrent) return { strategy: 'concurrent' };
  const pause = { cache_reset_ms: String(cache_reset_ms) };
  if (order_seed !== null) return { strategy: 'randomized', order_seed, ...pause };
  return { strategy: order === 'alternating' ? 'alternating' : 'sequential', ...pause };
}

function modelsOf(pairs: readonly AbPair[], side: (pair: AbPair) => PairSide): string[] {
  return [...new Set(pairs.map(side).flatMap((one) => ('work' in one ? [measuredModel(one.work)] : [])))];
}

/** Without a known model the seed's own name stays. */
const named = (key: string, models: readonly string[]): Record<string, string> =>
  models.length === 0 ? {} : { [key]: models.join(', ') };

type ComparisonLock = AsyncDisposable & ({ ok: true } | { ok: false; reason: string });

const unlocked: ComparisonLock = { ok: true, [Symbol.asyncDispose]: async () => undefined };

interface Locked {
  resultsDirectory: string;
  comparisonId: string;
  /** Whether it has to be there already: then its folder is not made. */
  isResumed: boolean;
}

/** The comparison for this process alone: two that go on with it would ask the same questions. */
export async function lockComparison({ resultsDirectory, comparisonId, isResumed }: Locked): Promise<ComparisonLock> {
  const folder = join(resultsDirectory, comparisonId);
  // Whoever opens the comparison says what is wrong with its id, or that there is none.
  if (!SessionId.safeParse(comparisonId).success || (isResumed && !existsSync(folder))) return unlocked;
  return await asExecution('The session cannot be started', async () => {
    const lock = await lockFolder(folder);
    return lock.ok ? lock : { ...unlocked, ok: false, reason: heldWords(comparisonId, lock) };
  });
}

/**
 * The local files of questions that are still to be asked and no longer hold what they held when the comparison was started,
 * each once: half of a comparison asked with another document compares nothing.
 */
export async function changedSince({ pairs }: ComparisonPlan, { results }: ABSession, root: string): Promise<string[]> {
  const answered = new Set(results.map(({ metadata }) => metadata.pair));
  const open = pairs.filter(({ key }) => !answered.has(key));
  const wanted = new Map(
    open.flatMap(({ baseline, candidate }) => [...contentsOf(baseline), ...contentsOf(candidate)]),
  );
  const changed: string[] = [];
  for (const [path, sha256] of wanted) {
    const content = await readCaseFile(path, root);
    if (content === null) changed.push(`${path} cannot be read in ${root}`);
    else if (createHash('sha256').update(content).digest('hex') !== sha256)
      changed.push(`${path} holds something else`);
  }
  return changed;
}

const contentsOf = (side: PairSide): [path: string, sha256: string][] =>
  'error' in side ? [] : (side.work.contents ?? []).map(({ path, sha256 }) => [path, sha256]);

export interface PairsInput extends SidesInput {
  /** Time limit of one try of an agent; absent: `limits.agent_timeout_ms`. */
  timeoutMs?: number;
}

export type PlannedPairs = { ok: true; pairs: AbPair[]; warnings: Problem[] } | { ok: false; problems: Problem[] };

/** Every question with the work of both sides. */
export function planPairs(input: PairsInput): PlannedPairs {
  const planned = planSides(input);
  if (!planned.ok) return planned;
  const { pairs, warnings } = planned;
  return { ok: true, pairs: pairs.map((pair) => toPair(pair, input.timeoutMs)), warnings };
}

function toPair({ key, first, second }: AskedPair, timeoutMs: number | undefined): AbPair {
  const { suiteRun, testRun } = first;
  const testCase = testRun.work?.case ?? second.testRun.work?.case;
  return {
    key,
    question: testCase === undefined ? testRun.caseName : inputOf(testCase),
    metadata: questionMetadata({ ...suiteRun, ...testRun }, testCase),
    isJudged: [first, second].some(({ testRun: one }) => one.work !== null && isJudged(one.work)),
    baseline: sideOf(testRun, 'baseline', timeoutMs),
    candidate: sideOf(second.testRun, 'candidate', timeoutMs),
  };
}

function sideOf({ work, decided }: PlannedTestRun, variant: 'baseline' | 'candidate', timeoutMs?: number): PairSide {
  if (work === null) return { error: decided?.status === 'error' ? decided.message : 'not planned' };
  const { limits } = work;
  const agentTimeoutMs = timeoutMs ?? limits.agentTimeoutMs;
  return {
    work: {
      ...work,
      variant,
      // A try that may last this long must fit into the case.
      limits: { ...limits, agentTimeoutMs, caseTimeoutMs: Math.max(limits.caseTimeoutMs, agentTimeoutMs) },
    },
  };
}
