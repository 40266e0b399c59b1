import type { Instrument, Variant } from '@proofmark/contracts/case-work';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import type { Problem } from '@proofmark/contracts/problem';
import type { Project } from '@proofmark/contracts/project';
import type { ResolvedVariables, VariableSource, VariableValue } from '@proofmark/contracts/variables';
import { toDataType } from '../variables/check-value.ts';
import { atBaseEndpoint } from './base-definitions.ts';
import { caseLimits } from './build-instrument.ts';
import type { AiConfigurations } from './choose-model.ts';
import { type AgentSetting, agentHash, settingKey } from './content-hashes.ts';
import { type PlannedTestRun, type PreparedCase, planTestRuns } from './plan-test-runs.ts';
import {
  type AgentSide,
  type PreparedAgent,
  prepareAgent,
  prepareTask,
  settingOfCase,
  suiteSetting,
} from './prepare-case.ts';
import { type PlanInput, type RunRequest, suiteProblem } from './run-request.ts';
import type { SelectedCase } from './select-cases.ts';

export interface PlannedSuiteRun {
  suiteName: string;
  suitePath: string;
  agentName: string;
  /** '' when there is no matrix. */
  cellKey: string;
  cell: Record<string, VariableValue>;
  variant: Variant;
  /** Run and suite level merged (C36); test runs hold the full resolution. */
  resolvedVariables: ResolvedVariables;
  agentHash: string;
  settingKey: string;
  /** The runners that execute it. */
  pool: string;
  testRuns: PlannedTestRun[];
}

export interface SuitePlanInput {
  input: PlanInput;
  loaded: LoadedSuite;
  /** The cases of it that the run is about. */
  selected: readonly SelectedCase[];
  /** The same suite at the base with the project it stands in; undefined when there is nothing to run as baseline. */
  baseline: { loaded: LoadedSuite; project: Project } | undefined;
  instrument: Instrument;
  runValues: Record<string, VariableValue>;
  cells: { key: string; cell: Record<string, VariableValue> }[];
}

export interface SuitePlan {
  suiteRuns: PlannedSuiteRun[];
  problems: Problem[];
  disagreements: Problem[];
}

/** The suite runs of one suite: every cell for every variant that can be run. */
export function planSuiteRuns(plan: SuitePlanInput): SuitePlan {
  const suiteRuns: PlannedSuiteRun[] = [];
  const problems: Problem[] = [];
  const disagreements = simulatorDisagreement(plan);
  for (const { key, cell } of plan.cells) {
    const runValues = { ...plan.runValues, ...cell };
    const head = agentSide(plan.loaded, plan.input.definitions.project, runValues);
    const prepareFor = agentsByCase(head);
    const cases = plan.selected.map((entry) => fillTask(head, entry, prepareFor(entry.testCase)));
    const { aiConfigurations } = head;
    const at = poolOfSuite({ loaded: plan.loaded, cases, instrument: plan.instrument, aiConfigurations });
    problems.push(...reportCases(plan.loaded.path, cases), ...at.problems);
    disagreements.push(...reportDisagreements(plan.loaded.path, cases));
    for (const variant of plan.input.request.variants) {
      const side = variant === 'baseline' ? baselineSide(plan, runValues) : head;
      if (side === undefined) continue;
      const prepared = variant === 'baseline' ? prepareBaseline(plan, side, cases) : cases;
      const testRuns = planTestRuns(contextOf(plan, variant, key), prepared);
      suiteRuns.push(suiteRun(plan, { side, variant, key, cell, pool: at.pool, testRuns }));
    }
  }
  return { suiteRuns, problems, disagreements };
}

const agentSide = (
  { agent, suite, testType }: LoadedSuite,
  project: Project,
  runValues: AgentSide['runValues'],
): AgentSide => ({
  agent,
  type: testType.variables_schema,
  suiteVariables: suite.variables,
  aiConfigurations: project.ai_configurations,
  runValues,
});

function baselineSide({ baseline }: SuitePlanInput, runValues: AgentSide['runValues']): AgentSide | undefined {
  if (baseline === undefined) return undefined;
  const side = agentSide(baseline.loaded, baseline.project, runValues);
  return { ...side, agent: atBaseEndpoint(side.agent) };
}

/** The agent as each case meets it: the same for all cases that override no variable, so it is prepared once for them. */
function agentsByCase(side: AgentSide): (testCase: SelectedCase['testCase']) => PreparedAgent {
  let usual: PreparedAgent | undefined;
  return ({ variables }) => {
    if (variables !== null) return prepareAgent(side, variables);
    usual ??= prepareAgent(side, null);
    return usual;
  };
}

function fillTask(side: AgentSide, selected: SelectedCase, agent: PreparedAgent): PreparedCase {
  const { testCase } = selected;
  if (!agent.ok) return { selected, task: testCase, agent };
  const task = prepareTask(side, testCase, agent.resolved);
  if (task.ok) return { selected, task: task.value, agent };
  const { resolved, ignored } = agent;
  return { selected, task: testCase, agent: { ...task, blame: 'variables', resolved, ignored } };
}

/**
 * The base's agent on the head's tasks: a trial that answers another question compares nothing. Cases that the base
 * does not have are new and have no other side. A task that the head cannot fill in is filled in by the base.
 */
function prepareBaseline(
  { baseline }: SuitePlanInput,
  side: AgentSide,
  cases: readonly PreparedCase[],
): PreparedCase[] {
  const baseCases = new Map(baseline?.loaded.suite.cases.map((testCase) => [testCase.name, testCase]));
  const prepareFor = agentsByCase(side);
  return cases
    .filter(({ selected }) => selected.skip === null)
    .flatMap(({ selected, task, agent: headAgent }) => {
      const baseCase = baseCases.get(selected.testCase.name);
      if (baseCase === undefined) return [];
      const agent = prepareFor(baseCase);
      return [headAgent.ok ? { selected, task, agent } : fillTask(side, selected, agent)];
    });
}

/** An agent without a model is a fault of the definitions and stops the run; ignored values are worth a warning each. */
function reportCases(suitePath: string, cases: readonly PreparedCase[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const { agent } of cases) {
    if (!agent.ok && agent.blame === 'agent') {
      const problem = suiteProblem(suitePath, 'agent', { code: 'not_found', message: agent.message });
      problems.set(agent.message, problem);
    }
    for (const { name, level, reason } of agent.ignored) {
      if (reason === 'overruled') continue;
      const message = `The ${level}-level value of '${name}' is ignored by at least one test: ${ignoredWords[reason]}`;
      problems.set(
        message,
        suiteProblem(suitePath, `variables.${name}`, { severity: 'warning', code: 'unknown_variable', message }),
      );
    }
  }
  return [...problems.values()];
}

/** Settings that stand in two places with two values: somebody may have meant the one that does not count. */
function reportDisagreements(suitePath: string, cases: readonly PreparedCase[]): Problem[] {
  return cases.flatMap(({ agent }) =>
    agent.ignored.flatMap((ignored) => {
      if (ignored.reason !== 'overruled') return [];
      const { name, by, configuration, value } = ignored;
      const message = `'${name}' has two values: ${String(by.value)} by the ${by.source}, which counts, and ${String(value)} by the AI configuration '${configuration}'`;
      return [suiteProblem(suitePath, `variables.${name}`, { severity: 'warning', code: 'mismatch', message })];
    }),
  );
}

/** The simulated user has a temperature of its own beside that of its AI configuration. */
function simulatorDisagreement({ loaded, instrument }: SuitePlanInput): Problem[] {
  const { settings, model } = instrument.simulator ?? {};
  const [own, other] = [settings?.temperature, model?.temperature];
  if (own === undefined || other === undefined || own === other) return [];
  const message = `'simulator.temperature' has two values: ${own} by the suite, which counts, and ${other} by the AI configuration '${model?.configuration}'`;
  return [suiteProblem(loaded.path, 'simulator.temperature', { severity: 'warning', code: 'mismatch', message })];
}

const ignoredWords = {
  unknown: 'its test type has no such variable',
  not_exposed: 'the test does not expose it',
  locked: 'the test locks it',
} as const;

function contextOf({ input, loaded, baseline, instrument }: SuitePlanInput, variant: Variant, cellKey: string) {
  const { request, definitions, runSeed, fileDigest } = input;
  const repetitions = request.repetitions ?? loaded.suite.repetitions ?? (request.compared ? 3 : 1);
  const isSequential = (baseline?.loaded ?? loaded).suite.gate.stop === 'sequential';
  return {
    suiteName: loaded.suite.name,
    suitePath: loaded.path,
    variant,
    cellKey,
    runSeed,
    repetitions: variant === 'baseline' ? baseRepetitions(request, repetitions, isSequential) : repetitions,
    instrument,
    limits: caseLimits(definitions.project.limits),
    fileDigests: (testCase: SelectedCase['testCase']) =>
      testCase.files.map((file) => fileDigest?.(loaded.path, file) ?? null),
  };
}

/** A suite that stops on pairs needs one base trial for every one of the head, whatever its history. */
const baseRepetitions = ({ baselineRepetitions }: RunRequest, repetitions: number, isSequential: boolean): number =>
  isSequential ? repetitions : (baselineRepetitions ?? repetitions);

interface SuiteRunParts {
  side: AgentSide;
  variant: Variant;
  key: string;
  cell: Record<string, VariableValue>;
  pool: string;
  testRuns: PlannedTestRun[];
}

function suiteRun(
  { loaded, baseline }: SuitePlanInput,
  { side, variant, key, cell, pool, testRuns }: SuiteRunParts,
): PlannedSuiteRun {
  const { agent, suite } = (variant === 'baseline' ? baseline?.loaded : undefined) ?? loaded;
  const setting = suiteSetting(side);
  const exceptions: Record<string, AgentSetting> = {};
  for (const testCase of suite.cases) {
    const own = testCase.variables === null ? undefined : settingOfCase(side, testCase.variables);
    if (own !== undefined && !sameSetting(own, setting)) exceptions[testCase.name] = own;
  }
  return {
    suiteName: loaded.suite.name,
    suitePath: loaded.path,
    agentName: side.agent.name,
    cellKey: key,
    cell,
    variant,
    resolvedVariables: mergedLevels(side),
    // As it is defined, wherever it is called: beside a head it has the history of its runs on the base branch.
    agentHash: agentHash({ agent, setting, exceptions }),
    settingKey: settingKey(side.runValues),
    pool,
    testRuns,
  };
}

const sameSetting = (a: AgentSetting, b: AgentSetting): boolean => JSON.stringify(a) === JSON.stringify(b);

function mergedLevels({ type, suiteVariables, runValues }: AgentSide): ResolvedVariables {
  const values: [string, VariableValue][] = [];
  const sources: [string, VariableSource][] = [];
  for (const { name, dataType } of type.variables) {
    const source = Object.hasOwn(runValues, name) ? 'run' : 'suite';
    const value = (source === 'run' ? runValues : suiteVariables)[name];
    if (value === undefined || !Object.hasOwn(source === 'run' ? runValues : suiteVariables, name)) continue;
    values.push([name, toDataType(dataType, value) ?? value]);
    sources.push([name, source]);
  }
  return { values: Object.fromEntries(values), sources: Object.fromEntries(sources) };
}

interface Asked {
  loaded: LoadedSuite;
  cases: readonly PreparedCase[];
  instrument: Instrument;
  aiConfigurations: AiConfigurations;
}

/**
 * The pool of runners that executes a suite run: the one that the suite names, else the one from which its models are reached.
 * A test run is executed by one runner, so models of several pools leave open which one it is.
 */
function poolOfSuite({ loaded, ...asked }: Asked): { pool: string; problems: Problem[] } {
  if (loaded.suite.pool !== undefined) return { pool: loaded.suite.pool, problems: [] };
  const named = new Map<string, string>();
  for (const name of configurationsOf(asked)) {
    const pool = asked.aiConfigurations[name]?.pool;
    if (pool !== undefined && !named.has(pool)) named.set(pool, name);
  }
  const [first = DEFAULT_POOL] = named.keys();
  if (named.size < 2) return { pool: first, problems: [] };
  const places = [...named].map(([pool, name]) => `${name} from ${pool}`).join(', ');
  const message = `The AI configurations of this suite are reached from several pools of runners: ${places}`;
  const hint = 'A test run is executed by one runner: name the pool of the suite whose runners reach all of them.';
  return { pool: first, problems: [suiteProblem(loaded.path, 'pool', { code: 'mismatch', message, hint })] };
}

/** Who answers comes first, then who measures. */
function configurationsOf({ cases, instrument }: Pick<Asked, 'cases' | 'instrument'>): Set<string> {
  const { judge, panel = [], simulator, embedding, metricModels = {} } = instrument;
  const answering = cases.map(({ agent }) => (agent.ok ? agent.model : null));
  const measuring = [judge, ...panel, simulator?.model, embedding, ...Object.values(metricModels)];
  return new Set([...answering, ...measuring].flatMap((model) => model?.configuration ?? []));
}
