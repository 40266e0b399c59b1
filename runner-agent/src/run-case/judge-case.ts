import type { CheckResult } from '@proofmark/contracts/case-outcome';
import type { Check, ExpectedBehavior } from '@proofmark/contracts/checks';
import type { Metric } from '@proofmark/contracts/metrics';
import { type CaseContext, type CaseState, type CaseStep, overtime } from '../case/case-state.ts';
import { type CheckVerdict, checkError, combineChecks } from '../checks/check-verdict.ts';
import { matchTools } from '../checks/match-tools.ts';
import {
  checkAbsence,
  checkCost,
  checkEqual,
  checkJson,
  checkJsonPath,
  checkJsonSchema,
  checkLatency,
  checkLength,
  checkPattern,
  checkPhrases,
  checkStart,
  checkToolCount,
} from '../checks/plain-checks.ts';
import { suspectInjection } from '../judge/data-blocks.ts';
import { judgeOutcomes } from '../judge/judge-outcomes.ts';
import { judgeAnswer } from '../judge/llm-judge.ts';
import { costUsd } from '../judge/meter-models.ts';
import { measureSimilarity } from '../judge/similarity.ts';
import { evaluateMetric } from '../metrics/evaluate-metric.ts';
import { askedText, metricSubject } from '../metrics/metric-subject.ts';

/** Compares the calls with what the case expects. Also done when the agent failed, so a given expectation always has an answer. */
export const compareTools: CaseStep = (state, { work, tools }) => {
  const match = matchTools(work.case.expected_tool_calls, tools.calls);
  const lacking = work.instrument.mockSettings.unmatched === 'fail' ? tools.unmatched : [];
  const problems = [...lacking.map((name) => `${name} was called, but no mock fits the call`), ...match.problems];
  return { ...state, toolCalls: tools.calls, tools: { matched: lacking.length > 0 ? false : match.matched, problems } };
};

/** Checks that call a model. The others are done first: they cost nothing. */
function needsModel({ type }: Check): boolean {
  return type === 'semantic_similarity' || type === 'llm_judge';
}

/** What one check says about an answer that is there. */
async function evaluateCheck(
  check: Check,
  state: CaseState & { response: string },
  context: CaseContext,
): Promise<CheckVerdict> {
  const { response } = state;
  switch (check.type) {
    case 'semantic_similarity':
      return measureSimilarity(check, response, context);
    case 'llm_judge':
      return judgeAnswer(check, judgedResponse(state, context), context);
    case 'latency':
      return checkLatency(check, state.latencyMs);
    case 'cost':
      return checkCost(check, state.toldCostUsd ?? costUsd(state.usage, context.work.model));
    case 'tool_count':
      return checkToolCount(check, context.tools.calls);
    case 'contains_phrases':
      return checkPhrases(check, response);
    case 'not_contains':
      return checkAbsence(check, response);
    case 'equals':
      return checkEqual(check, response);
    case 'starts_with':
      return checkStart(check, response);
    case 'regex':
      return checkPattern(check, response);
    case 'length':
      return checkLength(check, response);
    case 'is_json':
      return checkJson(response);
    case 'json_schema':
      return checkJsonSchema(check, response);
    case 'json_path':
      return checkJsonPath(check, response);
  }
}

const judgedResponse = (
  { response, files, toolCalls: calls, transcript, testInput }: CaseState & { response: string },
  { work: { case: testCase } }: CaseContext,
) => ({
  ...{ response, files, calls, groundTruth: testCase.ground_truth },
  question: askedText({ transcript, testInput }, testCase.kind),
});

/**
 * Evaluates every check of the `expected_behavior` block, those without a model first; one verdict does not stop the
 * others, so that people see all of them.
 */
export const runChecks: CaseStep = async (state, context) => {
  const behavior = context.work.case.expected_behavior;
  const { response } = state;
  if (!behavior || response === null) return state;
  const checks: CheckResult[] = [];
  try {
    for (const [checkIndex, check] of cheapestFirst(behavior.checks)) {
      checks.push(asResult(checkIndex, check, await evaluateCheck(check, { ...state, response }, context)));
    }
  } catch (error) {
    return overtime(withChecks(state, behavior, checks), context, error);
  }
  return withChecks(state, behavior, checks);
};

/** The block with every check in its place; one that was not reached could not be evaluated, and a failed one still decides. */
function withChecks(
  state: CaseState,
  { mode, checks: all }: ExpectedBehavior,
  reached: readonly CheckResult[],
): CaseState {
  const checks = all.map(
    (check, index) =>
      reached.find(({ checkIndex }) => checkIndex === index) ?? asResult(index, check, checkError('The time was over')),
  );
  const statuses = checks.map((check) => check.status);
  return { ...state, checks, behavior: combineChecks(mode, statuses) };
}

function cheapestFirst(checks: readonly Check[]): [number, Check][] {
  return [...checks.entries()].sort(([, a], [, b]) => Number(needsModel(a)) - Number(needsModel(b)));
}

function asResult(checkIndex: number, check: Check, { status, details, error }: CheckVerdict): CheckResult {
  return { checkIndex, checkType: check.type, status, passed: status === 'pass', details, error: error ?? null };
}

/** Judges `expected_outcomes` and `evaluation_criteria_override`; a case without them stays as it is. */
export const judgeCaseOutcomes: CaseStep = (state, context) => {
  const { expected_outcomes: expected, evaluation_criteria_override: override } = context.work.case;
  return state.response === null || (expected === null && override === null) ? state : judged(state, context);
};

const judged: CaseStep = async (state, context) => {
  const outcomes = await judgeOutcomes(state, context);
  const flags = outcomes?.injectionAttempt ? [...state.flags, 'injection_attempt'] : state.flags;
  return { ...state, outcomes, flags };
};

/** Flags answers that look like an attempt on a judge, where a judge read them. It changes no verdict. */
export const flagSuspicion: CaseStep = (state, { work }) => {
  const { judge, panel = [], metricModels = {} } = work.instrument;
  const readers = [...(judge === null ? [] : [judge]), ...panel, ...Object.values(metricModels)];
  if (readers.length === 0 || !agentTexts(state).some((text) => suspectInjection(text).length > 0)) return state;
  return { ...state, flags: [...state.flags, 'suspected_injection'] };
};

const agentTexts = ({ transcript }: CaseState): string[] =>
  transcript.filter(({ role }) => role !== 'user').map(({ text }) => text);

/** Evaluates the metrics that apply to the case, in their order. A metric that cannot be measured stops no other. */
export const runMetrics: CaseStep = (state, context) => {
  const { work } = context;
  if (state.response === null) return state;
  const wanted = work.case.evaluations;
  const configured = work.instrument.evaluations?.metrics ?? [];
  const metrics = configured.filter((metric) => metric.enabled && (wanted === null || wanted.includes(metric.metric)));
  return metrics.length === 0 ? state : measure(state, context, { response: state.response, metrics });
};

interface Measured {
  response: string;
  metrics: readonly Metric[];
}

async function measure(state: CaseState, context: CaseContext, { response, metrics }: Measured): Promise<CaseState> {
  const { work } = context;
  const subject = metricSubject(state, { work, response });
  let measured = state;
  try {
    for (const metric of metrics) {
      const { result, detail } = await evaluateMetric(metric, subject, context);
      const metricDetails = [...measured.metricDetails, detail];
      measured = { ...measured, metrics: [...measured.metrics, result], metricDetails };
    }
  } catch (error) {
    return overtime(measured, context, error);
  }
  return measured;
}
