import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { CaseOutcome, ToolCall } from '@proofmark/contracts/case-outcome';
import type { CaseWork, Instrument } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { type Metric, metricNeeds } from '@proofmark/contracts/metrics';
import { checksOfCase } from '@proofmark/contracts/test-case';

interface Repeat {
  work: CaseWork;
  /** What came of it the first time. */
  outcome: Pick<CaseOutcome, 'toolCalls'>;
  /** What simulated tools answered then. */
  heard: readonly CassetteEntry[];
}

/**
 * The models that repeating a test run is sure to ask. A simulated tool whose answers are all recorded asks nobody, and
 * neither does a metric that only compares texts; a recorded conversation needs no agent.
 */
export function neededModels(repeat: Repeat): ModelSettings[] {
  const { agent, model, case: testCase, instrument, recorded } = repeat.work;
  const isAsked = recorded === undefined;
  const metrics = (instrument.evaluations?.metrics ?? []).filter(({ enabled }) => enabled);
  const checks = checksOfCase(testCase).map(({ check }) => check.type);
  const isJudged = testCase.expected_outcomes !== null || testCase.evaluation_criteria_override !== null;
  const needsSimulator = isAsked ? isSimulated(repeat) : isReviewed(repeat.work);
  const wanted: (ModelSettings | null)[] = [
    ...(isAsked && agent.driver.type === 'openai' ? [model] : []),
    ...(checks.includes('llm_judge') ? [instrument.judge] : []),
    ...(isJudged ? (instrument.panel ?? [instrument.judge]) : []),
    ...(checks.includes('semantic_similarity') ? [instrument.embedding] : []),
    ...metrics.map((metric) => modelOfMetric(metric, instrument)),
    ...(needsSimulator ? [instrument.simulator?.model ?? null] : []),
  ];
  return wanted.filter((one) => one !== null);
}

function modelOfMetric(metric: Metric, { judge, embedding, evaluations, metricModels = {} }: Instrument) {
  const asks = metricNeeds(metric)?.asks ?? 'nothing';
  if (asks === 'nothing') return null;
  const name = asks === 'embedding' ? metric.model : (metric.model ?? evaluations?.model);
  if (name !== undefined) return metricModels[name] ?? null;
  return asks === 'embedding' ? embedding : judge;
}

/** A person is always played anew; a tool only where a call of then has no recorded answer. */
function isSimulated({ work, outcome, heard }: Repeat): boolean {
  if (work.case.kind === 'simulated') return true;
  const known = new Set([...(work.instrument.cassette ?? []), ...heard].map(keyOf));
  const { mocks } = work.instrument;
  const isPlayed = ({ entry }: ToolCall): boolean => entry !== undefined && mocks[entry]?.simulate !== undefined;
  return outcome.toolCalls.some((call) => isPlayed(call) && !known.has(keyOf({ tool: call.name, args: call.args })));
}

const keyOf = ({ tool, args }: Pick<CassetteEntry, 'tool' | 'args'>): string => canonicalJson([tool, args]);

/** Whoever looks for faults of a simulated person does that where the verdict is bad. */
const isReviewed = ({ case: { kind }, instrument: { simulator } }: CaseWork): boolean =>
  kind === 'simulated' && simulator !== null && simulator.settings.review !== 'off';
