import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import type { Problem } from '@proofmark/contracts/problem';
import type { TestCase } from '@proofmark/contracts/test-case';
import {
  type PlanInput,
  type PlannedSuiteRun,
  type PlannedTestRun,
  planRun,
  type RunRequest,
} from '@proofmark/domain/plan-run';
import { z } from 'zod';
import type { AbPair, PairSide } from './comparison-store.ts';

/** What one side has that the suite file does not say. */
export interface SideRequest {
  /** Absent: the agent of each suite. */
  agent?: AgentDefinition;
  assignments: RunRequest['assignments'];
  preset: string | null;
}

export interface PairsInput {
  definitions: LoadedDefinitions;
  /** What both sides have in common. */
  request: RunRequest;
  baseline: SideRequest;
  candidate: SideRequest;
  /** Both sides get the same seeds from it. */
  runSeed: string;
  /** Digests of the local files of cases, so that a comparison that goes on asks with the same; absent: they are not known. */
  fileDigest?: PlanInput['fileDigest'];
  /** Time limit of one try of an agent; absent: `limits.agent_timeout_ms`. */
  timeoutMs?: number;
}

export type PlannedPairs = { ok: true; pairs: AbPair[]; warnings: Problem[] } | { ok: false; problems: Problem[] };

/** Every question with the work of both sides. Refused when the two sides would not be asked the same questions. */
export function planPairs(input: PairsInput): PlannedPairs {
  const [baseline, candidate] = [planSide(input, 'baseline'), planSide(input, 'candidate')];
  if (!baseline.ok) return baseline;
  if (!candidate.ok) return candidate;
  const warnings = [...baseline.plan.warnings, ...candidate.plan.warnings];
  const ofBaseline = asked(baseline.plan.suiteRuns);
  const ofCandidate = asked(candidate.plan.suiteRuns);
  const pairs = [...ofBaseline].flatMap(([key, first]) => {
    const second = ofCandidate.get(key);
    return second === undefined ? [] : [{ key, first, second }];
  });
  const unpaired = [...ofBaseline.keys(), ...ofCandidate.keys()].filter(
    (key) => !(ofBaseline.has(key) && ofCandidate.has(key)),
  );
  const different = pairs.filter(({ first, second }) => questionOf(first) !== questionOf(second));
  const problem = whyNotComparable({ unpaired, different: different.map(({ key }) => key), pairs: pairs.length });
  if (problem !== undefined) return { ok: false, problems: [problem] };
  return { ok: true, pairs: pairs.map((pair) => toPair(pair, input.timeoutMs)), warnings: unique(warnings) };
}

function planSide({ definitions, request, runSeed, fileDigest, ...sides }: PairsInput, name: 'baseline' | 'candidate') {
  const { agent, assignments, preset } = sides[name];
  const suites = agent === undefined ? definitions.suites : definitions.suites.map((loaded) => ({ ...loaded, agent }));
  return planRun({
    definitions: { ...definitions, suites },
    request: {
      ...request,
      assignments: [...request.assignments, ...assignments],
      preset: preset ?? request.preset,
      variants: ['candidate'],
    },
    runSeed,
    ...(fileDigest === undefined ? {} : { fileDigest }),
  });
}

interface Asked {
  suiteRun: PlannedSuiteRun;
  testRun: PlannedTestRun;
}

/** Test runs by what makes them the same question on both sides; those that are skipped are not asked. */
function asked(suiteRuns: readonly PlannedSuiteRun[]): Map<string, Asked> {
  const all = suiteRuns.flatMap((suiteRun) => suiteRun.testRuns.map((testRun) => ({ suiteRun, testRun })));
  return new Map(
    all
      .filter(({ testRun }) => testRun.decided?.status !== 'skipped')
      .map(({ suiteRun, testRun }) => [
        JSON.stringify([suiteRun.suitePath, suiteRun.cellKey, testRun.caseName, testRun.repetition]),
        { suiteRun, testRun },
      ]),
  );
}

/** What the agent is asked; null when that could not even be filled in. */
const questionOf = ({ testRun }: Asked): string | null => (testRun.work === null ? null : inputOf(testRun.work.case));

const inputOf = ({ input, initial_message, name }: TestCase): string => input ?? initial_message ?? name;

function whyNotComparable({
  unpaired,
  different,
  pairs,
}: {
  unpaired: readonly string[];
  different: readonly string[];
  pairs: number;
}): Problem | undefined {
  const [alone] = unpaired;
  if (alone !== undefined) {
    return problem(`Only one side has ${alone}: give both sides the same matrix, or pin its variables with --var`);
  }
  const [other] = different;
  if (other !== undefined) {
    return problem(`The sides would be asked different questions in ${other}: a variable of the question differs`);
  }
  return pairs === 0 ? problem('There is no question to ask: every case is skipped') : undefined;
}

const problem = (message: string): Problem => ({
  severity: 'error',
  code: 'mismatch',
  file: '',
  line: 1,
  column: 1,
  path: 'candidate',
  message,
});

function toPair(
  { key, first, second }: { key: string; first: Asked; second: Asked },
  timeoutMs: number | undefined,
): AbPair {
  const { suiteRun, testRun } = first;
  const testCase = testRun.work?.case ?? second.testRun.work?.case;
  return {
    key,
    question: testCase === undefined ? testRun.caseName : inputOf(testCase),
    // What the product knows wins over what somebody calls alike.
    metadata: {
      ...noted(testCase),
      pair: key,
      suite: suiteRun.suiteName,
      suite_path: suiteRun.suitePath,
      case: testRun.caseName,
      cell: suiteRun.cellKey,
      repetition: testRun.repetition,
      difficulty: testCase?.difficulty ?? 'normal',
      tags: [...(testCase?.tags ?? [])],
    },
    isJudged: [first, second].some(({ testRun: one }) => one.work !== null && isJudged(one.work)),
    baseline: sideOf(testRun, 'baseline', timeoutMs),
    candidate: sideOf(second.testRun, 'candidate', timeoutMs),
  };
}

const isJudged = ({ case: testCase, instrument }: CaseWork): boolean =>
  instrument.evaluations !== null ||
  [testCase.expected_behavior, testCase.expected_outcomes, testCase.expected_tool_calls].some((one) => one !== null) ||
  testCase.turns?.some((turn) => turn.expected_behavior !== null || turn.expected_tool_calls !== null) === true ||
  testCase.evaluation_criteria_override !== null;

/** What the author of the case noted about it. */
const noted = (testCase: TestCase | undefined): AbPair['metadata'] =>
  z.record(z.string(), z.json()).parse(testCase?.metadata ?? {});

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

const unique = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((one) => [JSON.stringify(one), one])).values(),
];
