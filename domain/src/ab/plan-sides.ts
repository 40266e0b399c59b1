import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import {
  type PlanInput,
  type PlannedSuiteRun,
  type PlannedTestRun,
  planRun,
  type RunRequest,
} from '../plan/plan-run.ts';
import { inputOf, questionKey } from './questions.ts';

/** What one side has that the suite file does not say. */
export interface SideRequest {
  /** Absent: the agent of each suite. */
  agent?: AgentDefinition;
  assignments: RunRequest['assignments'];
  preset: string | null;
}

export interface SidesInput {
  definitions: LoadedDefinitions;
  /** What both sides have in common. */
  request: RunRequest;
  baseline: SideRequest;
  candidate: SideRequest;
  /** Both sides get the same seeds from it. */
  runSeed: string;
  /** Digests of the local files of cases, so that a comparison that goes on asks with the same; absent: they are not known. */
  fileDigest?: PlanInput['fileDigest'];
}

/** A test run that is asked, and where it stands. */
export interface AskedTestRun {
  suiteRun: PlannedSuiteRun;
  testRun: PlannedTestRun;
}

/** One question on both sides. */
export interface AskedPair {
  key: string;
  first: AskedTestRun;
  second: AskedTestRun;
}

export type PlannedSides =
  | {
      ok: true;
      /** Suite runs of each side, with equal seeds. */
      baseline: PlannedSuiteRun[];
      candidate: PlannedSuiteRun[];
      pairs: AskedPair[];
      warnings: Problem[];
    }
  | { ok: false; problems: Problem[] };

/** What both sides of a comparison do. Refused when they would not be asked the same questions. */
export function planSides(input: SidesInput): PlannedSides {
  const [baseline, candidate] = [planSide(input, 'baseline'), planSide(input, 'candidate')];
  if (!baseline.ok) return baseline;
  if (!candidate.ok) return candidate;
  const warnings = unique([...baseline.plan.warnings, ...candidate.plan.warnings]);
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
  const sides = { baseline: baseline.plan.suiteRuns.map(asBaseline), candidate: candidate.plan.suiteRuns };
  return { ok: true, ...sides, pairs, warnings };
}

function planSide({ definitions, request, runSeed, fileDigest, ...sides }: SidesInput, name: 'baseline' | 'candidate') {
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

/** Both sides are planned alike, so that they have equal seeds; only then is one of them the baseline. */
function asBaseline(suiteRun: PlannedSuiteRun): PlannedSuiteRun {
  const testRuns = suiteRun.testRuns.map((testRun) =>
    testRun.work === null ? testRun : { ...testRun, work: { ...testRun.work, variant: 'baseline' as const } },
  );
  return { ...suiteRun, variant: 'baseline', testRuns };
}

/** Test runs by what makes them the same question on both sides; those that are skipped are not asked. */
function asked(suiteRuns: readonly PlannedSuiteRun[]): Map<string, AskedTestRun> {
  const all = suiteRuns.flatMap((suiteRun) => suiteRun.testRuns.map((testRun) => ({ suiteRun, testRun })));
  return new Map(
    all
      .filter(({ testRun }) => testRun.decided?.status !== 'skipped')
      .map(({ suiteRun, testRun }) => [questionKey({ ...suiteRun, ...testRun }), { suiteRun, testRun }]),
  );
}

/** What the agent is asked; null when that could not even be filled in. */
const questionOf = ({ testRun }: AskedTestRun): string | null =>
  testRun.work === null ? null : inputOf(testRun.work.case);

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

const unique = (problems: readonly Problem[]): Problem[] => [
  ...new Map(problems.map((one) => [JSON.stringify(one), one])).values(),
];

/** Which side of a pair is asked first; `together` when both are asked at once. */
export type PairOrder = 'baseline_first' | 'candidate_first' | 'together';

export interface OrderRules {
  /** `alternating`: the sides take turns in being first, so that neither is always the one that finds warm caches. */
  order: 'alternating' | 'baseline_first';
  /** Null: nothing is left to chance. */
  order_seed: string | null;
  concurrent: boolean;
}

/**
 * The order of one pair, by its place in the plan: the same whenever it is asked, however many run at once and however
 * often the comparison was interrupted. With a seed it is a coin toss that falls the same way with the same seed.
 */
export function pairOrder(
  { order, order_seed: seed, concurrent }: OrderRules,
  { key, place }: { key: string; place: number },
): PairOrder {
  if (concurrent) return 'together';
  const isCandidateFirst = seed === null ? order === 'alternating' && place % 2 === 1 : tossesCandidate(seed, key);
  return isCandidateFirst ? 'candidate_first' : 'baseline_first';
}

const tossesCandidate = (seed: string, key: string): boolean =>
  Number.parseInt(contentHash([seed, key]).slice(0, 2), 16) % 2 === 1;
