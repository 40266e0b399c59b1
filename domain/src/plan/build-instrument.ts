import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseLimits, Instrument } from '@proofmark/contracts/case-work';
import type { EvaluationConfig } from '@proofmark/contracts/metrics';
import type { Problem } from '@proofmark/contracts/problem';
import type { Limits, Project } from '@proofmark/contracts/project';
import type { Suite } from '@proofmark/contracts/suite';
import type { TestCase } from '@proofmark/contracts/test-case';
import { type AiConfigurations, settingsOf, unknownConfiguration } from './choose-model.ts';
import { suiteProblem } from './run-request.ts';

export type BuiltInstrument = { ok: true; instrument: Instrument } | { ok: false; problems: Problem[] };

/** The measuring side of a whole suite, every named configuration resolved to a model. */
export function buildInstrument(suite: Suite, suitePath: string, project: Project): BuiltInstrument {
  const problems: Problem[] = [];
  const find = (place: string, name: string | undefined): ModelSettings | null => {
    if (name === undefined) return null;
    const settings = settingsOf(project.ai_configurations, name);
    if (settings === undefined) problems.push(missing(suitePath, place, name, project.ai_configurations));
    return settings ?? null;
  };
  const simulatorModel = find('simulator', suite.simulator?.ai_configuration);
  const instrument: Instrument = {
    judge: find('judge', suite.judge?.ai_configuration),
    embedding: find('embedding', suite.embedding?.ai_configuration),
    simulator:
      suite.simulator && simulatorModel
        ? { settings: suite.simulator, model: { ...simulatorModel, temperature: suite.simulator.temperature } }
        : null,
    evaluations: suite.evaluations,
    mocks: suite.mocks,
    mockSettings: suite.mock_settings,
  };
  return problems.length > 0 ? { ok: false, problems } : { ok: true, instrument };
}

const missing = (file: string, place: string, name: string, known: AiConfigurations): Problem =>
  suiteProblem(file, `${place}.ai_configuration`, { code: 'not_found', message: unknownConfiguration(name, known) });

/**
 * The part of the suite's instrument that this case is measured with. What it does not use is left out, so that another
 * judge does not make a case incomparable that has none.
 */
export function instrumentOfCase(instrument: Instrument, testCase: TestCase): Instrument {
  const evaluations = selectedMetrics(instrument.evaluations, testCase.evaluations);
  const checks = testCase.expected_behavior?.checks.map((check) => check.type) ?? [];
  const judged =
    checks.includes('llm_judge') ||
    evaluations !== null ||
    testCase.expected_outcomes !== null ||
    testCase.evaluation_criteria_override !== null ||
    testCase.kind === 'simulated';
  return {
    ...instrument,
    judge: judged ? instrument.judge : null,
    embedding: checks.includes('semantic_similarity') ? instrument.embedding : null,
    simulator: testCase.kind === 'simulated' ? instrument.simulator : null,
    evaluations,
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
