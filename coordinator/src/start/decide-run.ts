import type { LoadedDefinitions, LoadedSuite, LoadResult } from '@proofmark/contracts/loaded';
import { nameHint } from '@proofmark/contracts/near-match';
import { isError, type Problem } from '@proofmark/contracts/problem';
import { Project } from '@proofmark/contracts/project';
import type { StartRunInput } from '@proofmark/contracts/start-run-input';
import type { TestType } from '@proofmark/contracts/test-type';
import type { VerdictSettings } from '@proofmark/contracts/verdict';
import {
  findBaseline,
  isMeasuredAlike,
  removedCases,
  removedSuites,
  withGatesOf,
  withLabelsOf,
} from '@proofmark/domain/base-definitions';
import { clustersOf } from '@proofmark/domain/cluster-of';
import { type PlannedCalibration, planCalibrations } from '@proofmark/domain/plan-calibrations';
import {
  fileDigestIn,
  type PlannedRun,
  type PlannedSuiteRun,
  planRun,
  type RunRequest,
} from '@proofmark/domain/plan-run';
import { planSides, type SideRequest, type SidesInput } from '@proofmark/domain/plan-sides';
import type { Base } from './load-base-definitions.ts';

export type AskedValues = Pick<
  StartRunInput,
  'selection' | 'matrix' | 'variables' | 'assignments' | 'preset' | 'repetitions'
>;

export interface RunQuestion {
  input: StartRunInput;
  /** What the files of the input say. */
  loaded: LoadResult;
  /** The agents that a comparison names, by the paths of their files. */
  agents: ReadonlyMap<string, LoadedSuite>;
  /** Null: there is nothing to compare with, or nothing shall be compared. */
  base: Base | null;
  /** The definitions at the merge base where somebody has read them: their gates count, whatever runs beside. */
  atMergeBase: LoadedDefinitions | null;
  runSeed: string;
  isProposal: boolean;
  /** Whether later runs may be compared with this one. */
  isBase: boolean;
}

export interface DecidedRun {
  definitions: LoadedDefinitions;
  /** Suites that the change cannot affect. They are not run, and a run may have no others. */
  unaffected: readonly string[];
  removed: RemovedDefinitions;
  /** Those that the project's own files define. */
  testTypes: TestType[];
  /** Later runs may be compared with this one. */
  isBase: boolean;
  suiteRuns: PlannedSuiteRun[];
  warnings: Problem[];
  /** The judges that are held against labelled answers. */
  calibrations: PlannedCalibration[];
  /** Gate and alert rule by the path of the suite: those of the base where it has the suite, so that nobody loosens his own gate. */
  settings: ReadonlyMap<string, VerdictSettings>;
  /** Cases that belong together by those settings, by the path of the suite. */
  clusters: ReadonlyMap<string, Record<string, string> | null>;
}

/** There is nothing to decide about. */
export const undecided: DecidedRun = {
  definitions: { project: Project.parse({}), suites: [] },
  unaffected: [],
  removed: { suites: [], cases: {}, changedGates: [] },
  testTypes: [],
  isBase: false,
  suiteRuns: [],
  warnings: [],
  calibrations: [],
  settings: new Map(),
  clusters: new Map(),
};

/** What a change takes away, and what it would take away from its own judgement. */
export interface RemovedDefinitions {
  /** Names of suites. */
  suites: string[];
  /** Names of cases by the path of their suite at the head. */
  cases: Record<string, string[]>;
  /** Names of suites whose own gate is not that by which they are judged now. */
  changedGates: string[];
}

export type RunDecision =
  | { ok: true; run: DecidedRun }
  /** `INVALID_INPUT` when all the problems are about the request and none stands in a file. */
  | { ok: false; code: 'INVALID_DEFINITIONS' | 'INVALID_INPUT'; problems: Problem[] };

/** Everything about a run that can be decided without the database: its definitions, its plan and its gate. */
export function decideRun(question: RunQuestion): RunDecision {
  const { input, loaded, agents, base, atMergeBase, runSeed, isProposal, isBase } = question;
  const { suites, unaffected, problems: unknown } = chooseSuites(loaded.definitions.suites, input.selection);
  const found = [...loaded.problems, ...unknown];
  if (found.some(isError)) return refuse(found);
  const sides = input.comparison === undefined ? null : comparedSides(input.comparison, agents);
  const written = { ...loaded.definitions, suites };
  // What is stored of a comparison is its candidate.
  const definitions = withAgent(written, agents.get(input.comparison?.candidate.agentPath ?? ''));
  const isIdle = suites.length === 0 && unaffected.length > 0;
  const ask = {
    definitions,
    ...(base === null ? {} : { baselineDefinitions: base.definitions }),
    request: { ...toRequest(input), compared: isProposal || isBase, ...variantsOf(definitions, base) },
    runSeed,
    fileDigest: fileDigestIn(input.caseFiles),
  };
  const idle: PlannedRun = { ok: true, plan: { suiteRuns: [], warnings: [], disagreements: [] } };
  const planRest = (): PlannedRun =>
    sides === null ? planRun(ask) : planComparison({ ...ask, definitions: written, ...sides });
  const planned = isIdle ? idle : planRest();
  if (!planned.ok) return refuse([...found, ...planned.problems]);
  const { suiteRuns, warnings } = planned.plan;
  const paths = new Set(suiteRuns.map(({ suitePath }) => suitePath));
  const used = definitions.suites.filter(({ path }) => paths.has(path));
  const settings = new Map(
    used.map((suite) => [suite.path, settingsOf(suite, atMergeBase ?? base?.definitions ?? null, input)]),
  );
  return {
    ok: true,
    run: {
      definitions: { ...definitions, suites: used },
      unaffected: unaffected.map(({ suite }) => suite.name),
      removed: removedFrom({
        used,
        all: loaded.definitions.suites,
        base,
        atMergeBase,
        checkName: input.settings.checkName,
      }),
      testTypes: loaded.testTypes,
      isBase,
      suiteRuns,
      warnings: [...found, ...warnings],
      calibrations:
        sides === null
          ? planCalibrations(labelled(definitions, atMergeBase ?? base?.definitions ?? null), suiteRuns)
          : [],
      settings,
      clusters: new Map(
        used.map((suite) => [suite.path, clustersOf(suite, settings.get(suite.path)?.gate.cluster_by ?? 'none')]),
      ),
    },
  };
}

type Comparison = NonNullable<StartRunInput['comparison']>;

/** The sides of a comparison with their agents; a file that holds none was refused when it was read. */
function comparedSides({ baseline, candidate }: Comparison, agents: RunQuestion['agents']) {
  const side = ({ agentPath, assignments, preset }: Comparison['baseline']): SideRequest => {
    const agent = agentPath === null ? undefined : agents.get(agentPath)?.agent;
    if (agentPath !== null && agent === undefined)
      throw new Error(`${agentPath} was read without a problem and an agent`);
    return { ...(agent === undefined ? {} : { agent }), assignments, preset };
  };
  return { baseline: side(baseline), candidate: side(candidate) };
}

const withAgent = (definitions: LoadedDefinitions, of: LoadedSuite | undefined): LoadedDefinitions =>
  of === undefined
    ? definitions
    : {
        ...definitions,
        suites: definitions.suites.map((loaded) => ({
          ...loaded,
          ...{ agent: of.agent, agentPath: of.agentPath },
          // Whoever tries an agent out wants no nights of it.
          suite: { ...loaded.suite, schedule_type: 'manual' as const, schedule_cron: null },
        })),
      };

/** Both sides of a comparison as one plan. */
function planComparison(sides: SidesInput): PlannedRun {
  const planned = planSides(sides);
  if (!planned.ok) return planned;
  const { baseline, candidate, warnings } = planned;
  return { ok: true, plan: { suiteRuns: [...baseline, ...candidate], warnings, disagreements: [] } };
}

interface Sides extends Pick<RunQuestion, 'base' | 'atMergeBase'> {
  /** Suites of the head that are run, and all of them. */
  used: readonly LoadedSuite[];
  all: readonly LoadedSuite[];
  checkName: string;
}

function removedFrom({ used, all, base, atMergeBase, checkName }: Sides): RemovedDefinitions {
  const before = atMergeBase ?? base?.definitions;
  const cases = used.map((suite) => [suite.path, removedCases(suite, before)] as const);
  // Another job has other suites, and what was read of a commit was looked up by the paths of the head.
  return {
    suites: base?.checkName === checkName ? removedSuites(all, base.definitions) : [],
    cases: Object.fromEntries(cases.filter(([, names]) => names.length > 0)),
    changedGates: before === undefined ? [] : withGatesOf(before, used).changed,
  };
}

/** The suites with the labelled answers of the base where it has them: they decide whether the judge may stop a change. */
function labelled(definitions: LoadedDefinitions, base: LoadedDefinitions | null): LoadedDefinitions {
  if (base === null) return definitions;
  const suites = definitions.suites.map((loaded) => {
    const before = findBaseline(loaded, base);
    return before === undefined ? loaded : withLabelsOf(before, loaded);
  });
  return { ...definitions, suites };
}

function refuse(problems: Problem[]): RunDecision {
  const isAboutFiles = problems.some((problem) => isError(problem) && problem.file !== '');
  return { ok: false, code: isAboutFiles ? 'INVALID_DEFINITIONS' : 'INVALID_INPUT', problems };
}

function chooseSuites(
  suites: readonly LoadedSuite[],
  { suites: names, unaffected }: StartRunInput['selection'],
): { suites: LoadedSuite[]; unaffected: LoadedSuite[]; problems: Problem[] } {
  const isAmong = (wanted: readonly string[]) => (one: LoadedSuite) => wanted.includes(one.suite.name);
  const left = suites.filter((one) => !isAmong(unaffected)(one));
  return {
    suites: names.length === 0 ? left : left.filter(isAmong(names)),
    unaffected: suites.filter(isAmong(unaffected)),
    problems: [...unknownNames(suites, names, 'suites'), ...unknownNames(suites, unaffected, 'unaffected')],
  };
}

function unknownNames(suites: readonly LoadedSuite[], names: readonly string[], list: string): Problem[] {
  const known = suites.map(({ suite }) => suite.name);
  return names
    .filter((name) => !known.includes(name))
    .map((name) => ({
      ...requestProblem,
      path: `selection.${list}`,
      message: `There is no suite named '${name}'`,
      hint: nameHint(name, known, 'There is none.'),
    }));
}

const requestProblem = { severity: 'error', code: 'not_found', file: '', line: 1, column: 1 } as const;

/** What the input means to the plan, apart from what it is compared with. */
export function toRequest(input: AskedValues): Omit<RunRequest, 'compared' | 'variants'> {
  const { selection, matrix } = input;
  const isText = (value: unknown) => typeof value === 'string';
  const typed = matrix.filter(({ values }) => !values.every(isText));
  const asText = matrix.filter(({ values }) => values.every(isText));
  return {
    variables: input.variables,
    assignments: input.assignments,
    preset: input.preset,
    matrix: Object.fromEntries(typed.map(({ name, values }) => [name, values])),
    matrixAssignments: asText.map(({ name, values }) => ({ name, values: values.map(String) })),
    cases: selection.cases,
    tags: selection.tags,
    difficulty: selection.difficulty,
    repetitions: input.repetitions,
  };
}

/** From here on the base's history carries the comparison, and running it again only guards against drift. */
const enoughHistory = 10;

/**
 * The base is run beside the head: as often as the head while little is known about it, else as its gates ask for. What
 * was measured in another way is no knowledge; where the gates want no trials beside, its stored answers are judged again.
 */
function variantsOf(head: LoadedDefinitions, base: Base | null): Pick<RunRequest, 'variants' | 'baselineRepetitions'> {
  if (base === null) return { variants: ['head'] };
  if (base.historyTrials < enoughHistory) return { variants: ['baseline', 'candidate'] };
  const baselineRepetitions = Math.max(
    ...base.definitions.suites.map(({ suite }) => suite.gate.concurrent_base_trials),
  );
  if (baselineRepetitions === 0) return { variants: ['head'] };
  return isMeasuredAlike(head, base.definitions)
    ? { variants: ['baseline', 'candidate'], baselineRepetitions }
    : { variants: ['baseline', 'candidate'] };
}

/** A comparison measures what it was asked for: nothing earlier counts, and nothing is asked again or left out. */
const gateOfComparison = { confirm: 'off', stop: 'fixed', history_trials: 0 } as const;

function settingsOf(
  head: LoadedSuite,
  base: LoadedDefinitions | null,
  { settings, trigger, comparison }: StartRunInput,
): VerdictSettings {
  const { suite } = (base === null ? undefined : findBaseline(head, base)) ?? head;
  const minimum = settings.minPassRate === null ? {} : { min_pass_rate: settings.minPassRate };
  return {
    gate: { ...suite.gate, ...minimum, ...(comparison === undefined ? {} : gateOfComparison) },
    alertOnRegression: suite.alert_on_regression,
    alertThresholdPercent: suite.alert_threshold_percent,
    onError: settings.onError,
    // A run of no repository has no check that somebody looks at: without a base its cases decide.
    withoutBase: trigger.repositoryExternalId === null ? 'cases' : 'neutral',
    ...(trigger.triggeredBy === 'manual' ? { isTyped: true } : {}),
  };
}
