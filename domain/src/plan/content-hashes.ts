import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { CaseLimits, Instrument } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { ResolvedVariables, VariableValue } from '@proofmark/contracts/variables';
import { withParts } from './comparability-key.ts';

/** Raised whenever prompts or evaluators change in a way that changes verdicts: older results are not comparable then. */
export const EVALUATOR_VERSION = 4;

/** The identity of a case across commits. A list as JSON, because names may contain every printable separator. */
export const caseKey = (suiteName: string, caseName: string): string => canonicalJson([suiteName, caseName]);

/** Matrix cell and run-level values: only runs with an equal key may be compared. */
export const settingKey = (runValues: Readonly<Record<string, VariableValue>>): string => canonicalJson(runValues);

/** What one case of the suite runs the agent with. */
export interface AgentSetting {
  model: ModelSettings | null;
  /** Values from suite, test or type; run-level values are in the setting key instead. */
  variables: Record<string, VariableValue>;
}

export interface AgentIdentity {
  agent: AgentDefinition;
  setting: AgentSetting;
  /** Settings of cases that differ from the suite's, by case name: a changed test default is a changed agent, too. */
  exceptions: Record<string, AgentSetting>;
}

/** The version of the thing under test. Name and description are not part of it, nor are prices and key names. */
export function agentHash({ agent, setting, exceptions }: AgentIdentity): string {
  const { instructions, tools } = agent;
  const cases = Object.fromEntries(
    Object.entries(exceptions).map(([name, exception]) => [name, hashedSetting(exception)]),
  );
  return contentHash({ instructions, tools, driver: hashedDriver(agent.driver), ...hashedSetting(setting), cases });
}

/** Without the place where the base's version is deployed, and without how one gets in: both say nothing about this version. */
function hashedDriver(driver: AgentDefinition['driver']) {
  if (driver.type !== 'http') return driver;
  const { base_endpoint: _baseEndpoint, oauth: _oauth, tls: _tls, limits: _limits, ...rest } = driver;
  return rest;
}

const hashedSetting = ({ model, variables }: AgentSetting) => ({ model: hashedModel(model), variables });

/** What of a model set-up can change an answer. */
export function hashedModel(model: ModelSettings | null) {
  if (model === null) return null;
  const { provider, model: name, base_url, temperature, max_tokens, stream } = model;
  const { seed, reasoning_effort, structured_output, log_probabilities, extra_body } = model;
  // Servers build a streamed answer by other code. What is not set keeps the hash that it had before there was a choice.
  const further = {
    stream: stream || undefined,
    seed,
    reasoning_effort,
    structured_output,
    log_probabilities,
    extra_body,
  };
  const set = Object.entries(further).filter(([, value]) => value !== undefined);
  return { provider, model: name, base_url, temperature, max_tokens, ...Object.fromEntries(set) };
}

/** Everything that defines the task, texts filled in; `files` are digests of content, null where one is not known. */
export function caseHash(testCase: TestCase, fileDigests: readonly (string | null)[]): string {
  const { kind, input, ground_truth, files, expected_tool_calls, evaluations, expected_behavior } = testCase;
  const { persona, initial_message, user_context, max_turns, expected_outcomes, evaluation_criteria_override } =
    testCase;
  const { messages, turns } = testCase;
  // In the order of their names, in which they are hashed. What most cases do not have is no part of theirs.
  return contentHash({
    evaluation_criteria_override,
    evaluations,
    expected_behavior,
    expected_outcomes,
    expected_tool_calls,
    files: files.map(({ description: _description, cache: _cache, ...file }, index) => ({
      ...file,
      digest: fileDigests[index] ?? null,
    })),
    ground_truth,
    initial_message,
    input,
    kind,
    max_turns,
    messages,
    persona,
    turns,
    user_context,
  });
}

/** Everything that measures: two results are comparable only when it is equal. Names of configurations do not measure. Behind the hash stand those of its parts. */
export function instrumentHash(instrument: Instrument, limits: CaseLimits): string {
  const { judge, panel, embedding, simulator, evaluations, metricModels = {}, mocks, cassette } = instrument;
  // Where recorded answers stand says nothing about them.
  const { cassette: _path, ...mockSettings } = instrument.mockSettings;
  const metrics = evaluations?.metrics.map(({ model, ...metric }) => {
    const name = model ?? evaluations.model;
    return { ...metric, model: hashedModel(name === undefined ? judge : (metricModels[name] ?? null)) };
  });
  const parts = {
    evaluator: EVALUATOR_VERSION,
    judge: { judge: hashedModel(judge), panel: panel?.map(hashedModel) },
    embedding: hashedModel(embedding),
    simulator: simulator && hashedSimulator(simulator),
    metrics: metrics ?? null,
    mock: { mocks, mockSettings, ...(cassette === undefined ? {} : { cassette: cassette.map(recorded).toSorted() }) },
    limits,
  };
  const digests = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, contentHash(part)]));
  return withParts(contentHash(parts), digests);
}

/** The order of recorded answers says nothing. */
const recorded = ({ key, result }: CassetteEntry): string => contentHash({ key, result });

function hashedSimulator({ settings, model }: NonNullable<Instrument['simulator']>) {
  const { ai_configuration: _name, ...rest } = settings;
  return { settings: rest, model: hashedModel(model) };
}

/** Values that live in the repository, hence in the agent's version. */
export function repositoryValues(resolved: ResolvedVariables): Record<string, VariableValue> {
  return Object.fromEntries(Object.entries(resolved.values).filter(([name]) => resolved.sources[name] !== 'run'));
}

/** How a judge of outcomes decides unless a case has a rubric of its own. A change of it raises EVALUATOR_VERSION. */
export const defaultRubric = [
  'A criterion is met when the transcript or the tool evidence shows that it is met.',
  'What the agent says it has done counts only if a tool call supports it.',
  'What the agent was to say or to do, and what neither the transcript nor the tool evidence shows, it has not said or done: the criterion is not met.',
  'Whether what the agent says is true, the files, the reference answer and the tool evidence decide. Where they say nothing about it and the criterion hangs on it, the criterion is inconclusive, not failed.',
  'Judge the meaning of a criterion, not its wording: key and value together say what must be true at the end.',
  'Style and tone matter only where a criterion names them.',
].join('\n');

/** Who judges: the panel where there is one, else the judge; nobody without either. */
export const judgesOf = ({ judge, panel }: Pick<Instrument, 'judge' | 'panel'>): readonly ModelSettings[] =>
  panel ?? (judge === null ? [] : [judge]);

/**
 * The identity of the measuring instrument "judge of outcomes": two verdicts are comparable only when it is equal.
 * Without a case `override` is null, and the judge is the one with the usual rubric.
 */
export function judgeHash(models: readonly ModelSettings[], override: string | null = null): string {
  return contentHash({
    template: EVALUATOR_VERSION,
    rubric: override ?? defaultRubric,
    models: models.map(hashedModel),
  });
}
