import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseLimits, Instrument } from '@proofmark/contracts/case-work';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import type { EvaluationConfig } from '@proofmark/contracts/metrics';
import { simulatesTools } from '@proofmark/contracts/mocks';
import type { Problem } from '@proofmark/contracts/problem';
import type { Limits, Project } from '@proofmark/contracts/project';
import { hasCheck, type TestCase } from '@proofmark/contracts/test-case';
import { type AiConfigurations, noSuchConfiguration, settingsOf } from './choose-model.ts';
import { instrumentHash } from './content-hashes.ts';
import { suiteProblem } from './run-request.ts';

export type BuiltInstrument = { ok: true; instrument: Instrument } | { ok: false; problems: Problem[] };

/** The measuring side of a whole suite, every named configuration resolved to a model. */
export function buildInstrument(
  { suite, path: suitePath, cassette }: Pick<LoadedSuite, 'suite' | 'path' | 'cassette'>,
  project: Project,
): BuiltInstrument {
  const problems: Problem[] = [];
  const find = (path: string, name: string): ModelSettings | undefined => {
    const settings = settingsOf(project.ai_configurations, name);
    if (settings === undefined) problems.push(missing({ suitePath, path, name, known: project.ai_configurations }));
    return settings;
  };
  const named = (place: string, block: { ai_configuration: string } | null): ModelSettings | null =>
    (block && find(`${place}.ai_configuration`, block.ai_configuration)) ?? null;
  const simulator = named('simulator', suite.simulator);
  const panel = suite.judge?.panel?.flatMap((name, index) => find(`judge.panel.${index}`, name) ?? []);
  const instrument: Instrument = {
    judge: named('judge', suite.judge),
    ...(panel === undefined ? {} : { panel }),
    embedding: named('embedding', suite.embedding),
    simulator: suite.simulator && simulator ? { settings: suite.simulator, model: simulator } : null,
    evaluations: suite.evaluations,
    ...metricModels(suite.evaluations, find),
    mocks: suite.mocks,
    mockSettings: suite.mock_settings,
    ...(cassette === undefined ? {} : { cassette: [...cassette] }),
  };
  return problems.length > 0 ? { ok: false, problems } : { ok: true, instrument };
}

function metricModels(
  evaluations: EvaluationConfig | null,
  find: (path: string, name: string) => ModelSettings | undefined,
): Pick<Instrument, 'metricModels'> {
  const named = [
    ['evaluations.model', evaluations?.model] as const,
    ...(evaluations?.metrics ?? []).map(
      (metric, index) => [`evaluations.metrics.${index}.model`, metric.model] as const,
    ),
  ];
  const found = named.flatMap(([path, name]) => {
    const settings = name === undefined ? undefined : find(path, name);
    return settings ? [[settings.configuration, settings] as const] : [];
  });
  return found.length > 0 ? { metricModels: Object.fromEntries(found) } : {};
}

interface MissingConfiguration {
  suitePath: string;
  path: string;
  name: string;
  known: AiConfigurations;
}

const missing = ({ suitePath, path, name, known }: MissingConfiguration): Problem =>
  suiteProblem(suitePath, path, { code: 'not_found', message: noSuchConfiguration(name, known) });

/** The instrument of one case with its hash. Cases that are measured alike share both. */
export interface CaseInstrument {
  instrument: Instrument;
  hash: string;
}

/**
 * For each case the part of the suite's instrument that it is measured with. What it does not use is left out, so that
 * another judge does not make a case incomparable that has none.
 */
export function instrumentsOfCases(instrument: Instrument, limits: CaseLimits): (testCase: TestCase) => CaseInstrument {
  const known = new Map<string, CaseInstrument>();
  return (testCase) => {
    const use = useOfCase(instrument, testCase);
    const key = JSON.stringify([use.isJudged, use.isEmbedded, use.isSimulated, use.evaluations?.metrics]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const used = usedPart(instrument, use);
    const made = { instrument: used, hash: instrumentHash(used, limits) };
    known.set(key, made);
    return made;
  };
}

interface InstrumentUse {
  isJudged: boolean;
  isEmbedded: boolean;
  isSimulated: boolean;
  evaluations: EvaluationConfig | null;
}

function useOfCase(instrument: Instrument, testCase: TestCase): InstrumentUse {
  const evaluations = selectedMetrics(instrument.evaluations, testCase.evaluations);
  return {
    isJudged:
      hasCheck(testCase, ['llm_judge']) ||
      evaluations !== null ||
      testCase.expected_outcomes !== null ||
      testCase.evaluation_criteria_override !== null,
    isEmbedded:
      hasCheck(testCase, ['semantic_similarity']) ||
      evaluations?.metrics.some(({ metric }) => metric === 'semantic_similarity') === true,
    isSimulated: testCase.kind === 'simulated' || simulatesTools(instrument.mocks, instrument.mockSettings),
    evaluations,
  };
}

function usedPart(
  instrument: Instrument,
  { isJudged, isEmbedded, isSimulated, evaluations }: InstrumentUse,
): Instrument {
  const { judge, panel, metricModels: models, ...rest } = instrument;
  return {
    ...rest,
    judge: isJudged ? judge : null,
    ...(isJudged && panel ? { panel } : {}),
    embedding: isEmbedded ? instrument.embedding : null,
    simulator: isSimulated ? instrument.simulator : null,
    evaluations,
    ...(evaluations && models ? { metricModels: models } : {}),
  };
}

function selectedMetrics(
  evaluations: EvaluationConfig | null,
  names: readonly string[] | null,
): EvaluationConfig | null {
  if (evaluations === null) return null;
  const metrics = evaluations.metrics.filter(
    (metric) => metric.enabled && (names === null || names.includes(metric.metric)),
  );
  return metrics.length > 0 ? { ...evaluations, metrics } : null;
}

export const caseLimits = (limits: Limits): CaseLimits => ({
  caseTimeoutMs: limits.case_timeout_ms,
  agentTimeoutMs: limits.agent_timeout_ms,
  maxTurns: limits.max_turns,
});
