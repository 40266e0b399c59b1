import type { CheckResult } from '@proofmark/contracts/case-outcome';
import { type Check, checksWithin, type ExpectedBehavior } from '@proofmark/contracts/checks';
import type { Metric } from '@proofmark/contracts/metrics';
import { type CaseContext, type CaseState, type CaseStep, overtime } from '../case/case-state.ts';
import { type CheckVerdict, checkError, combineChecks } from '../checks/check-verdict.ts';
import { matchTools } from '../checks/match-tools.ts';
import { suspectInjection } from '../judge/data-blocks.ts';
import { judgeOutcomes } from '../judge/judge-outcomes.ts';
import { costUsd } from '../judge/meter-models.ts';
import { evaluateMetric } from '../metrics/evaluate-metric.ts';
import { metricSubject } from '../metrics/metric-subject.ts';
import { checkJudge } from './evaluate-check.ts';

/** Compares the calls with what the case expects. Also done when the agent failed, so a given expectation always has an answer. */
export const compareTools: CaseStep = (state, { work, tools }) => {
  const match = matchTools(work.case.expected_tool_calls, tools.calls);
  const lacking = work.instrument.mockSettings.unmatched === 'fail' ? tools.unmatched : [];
  const problems = [...lacking.map((name) => `${name} was called, but no mock fits the call`), ...match.problems];
  return { ...state, toolCalls: tools.calls, tools: { matched: lacking.length > 0 ? false : match.matched, problems } };
};

/** Checks that call a model or code of the team. The others are done first: they cost nothing. */
const asksSomebody = (check: Check): boolean =>
  checksWithin(check).some(({ check: { type } }) => costly.some((one) => one === type));
const costly = ['semantic_similarity', 'llm_judge', 'code', 'command', 'http'] as const satisfies Check['type'][];

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
    const judge = checkJudge({ ...state, response }, context);
    for (const [checkIndex, check] of cheapestFirst(behavior.checks))
      checks.push(asResult(checkIndex, check, await judge(check)));
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
  return [...checks.entries()].sort(([, a], [, b]) => Number(asksSomebody(a)) - Number(asksSomebody(b)));
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
  const cost = state.toldCostUsd ?? costUsd(state.usage, work.model);
  const subject = metricSubject(state, { work, response, costUsd: cost });
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
