import type { Problem } from '@proofmark/contracts/problem';
import type { PlannedTestRun } from '@proofmark/domain/plan-run';
import { type AskedPair, planSides, type SidesInput } from '@proofmark/domain/plan-sides';
import { inputOf, isJudged, questionMetadata } from '@proofmark/domain/questions';
import type { AbPair, PairSide } from './comparison-store.ts';

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
