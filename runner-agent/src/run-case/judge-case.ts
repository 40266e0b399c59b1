import type { CheckResult, ToolCall, ToolMatch } from '@proofmark/contracts/case-outcome';
import { type Check, type ExpectedBehavior, holdsType } from '@proofmark/contracts/checks';
import type { Metric } from '@proofmark/contracts/metrics';
import type { TestCase } from '@proofmark/contracts/test-case';
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
  const match = matchAll(work.case, tools.calls);
  const lacking = work.instrument.mockSettings.unmatched === 'fail' ? tools.unmatched : [];
  return { ...state, toolCalls: tools.calls, tools: lacking.length === 0 ? match : withLacking(match, lacking) };
};

const withLacking = ({ problems }: ToolMatch, lacking: readonly string[]): ToolMatch => ({
  matched: false,
  problems: [...lacking.map((name) => `${name} was called, but no mock fits the call`), ...problems],
});

/** What is expected of the whole, and of each turn of a fixed conversation. */
function matchAll({ expected_tool_calls, turns }: TestCase, calls: readonly ToolCall[]): ToolMatch {
  const whole = matchTools(expected_tool_calls, calls);
  if (turns === undefined) return whole;
  const matches = [whole];
  for (const [index, turn] of turns.entries()) {
    const { matched, problems } = matchTools(
      turn.expected_tool_calls,
      calls.filter((call) => call.turn === index),
    );
    matches.push({ matched, problems: problems.map((problem) => `turn ${index + 1}: ${problem}`) });
  }
  const told = matches.map(({ matched }) => matched).filter((matched) => matched !== null);
  return {
    matched: told.length === 0 ? null : !told.includes(false),
    problems: matches.flatMap(({ problems }) => problems),
  };
}

/** Checks that call a model or code of the team. The others are done first: they cost nothing. */
const asksSomebody = (check: Check): boolean => holdsType(check, costly);
const costly = ['semantic_similarity', 'llm_judge', 'code', 'command', 'http'] as const satisfies Check['type'][];

type Answered = CaseState & { response: string };
const isAnswered = (state: CaseState): state is Answered => state.response !== null;

/** Checks that are combined to one verdict, and what they look at. */
interface Block {
  /** Which turn of a fixed conversation; absent: the whole. */
  turn?: number;
  behavior: ExpectedBehavior;
  /** Undefined: the conversation ended before. */
  seen: Answered | undefined;
}

/**
 * Evaluates every check of the case and of its turns, those without a model first; one verdict does not stop the others, so
 * that people see all of them.
 */
export const runChecks: CaseStep = (state, context) => {
  if (!isAnswered(state)) return state;
  const blocks = blocksOf(state, context.work.case);
  return blocks.length === 0 ? state : judgeBlocks(state, blocks, context);
};

function blocksOf(state: Answered, { expected_behavior, turns }: TestCase): Block[] {
  const whole = expected_behavior === null ? [] : [{ behavior: expected_behavior, seen: state }];
  if (turns === undefined) return whole;
  const ofTurns = turns.flatMap(({ expected_behavior: behavior }, turn): Block[] => {
    const seen = atTurn(state, turn);
    if (seen === undefined) return [{ turn, behavior: behavior ?? unasked, seen }];
    return behavior === null ? [] : [{ turn, behavior, seen }];
  });
  return [...ofTurns, ...whole];
}

/** Of a turn that nothing was expected of but that it is reached. */
const unasked: ExpectedBehavior = { mode: 'all', checks: [{ type: 'length', min: 0, unit: 'characters' }] };

/** What was said and done up to and in one turn; undefined when the agent never answered it. */
function atTurn(state: Answered, turn: number): Answered | undefined {
  const { transcript, toolCalls } = state;
  const at = transcript.findIndex((said) => said.role === 'agent' && said.turn === turn);
  const answer = transcript[at];
  if (answer === undefined) return undefined;
  const question = transcript.find((said) => said.role === 'user' && said.turn === turn)?.text ?? state.testInput;
  return {
    ...state,
    response: answer.text,
    testInput: question,
    transcript: transcript.slice(0, at + 1),
    toolCalls: toolCalls.filter((call) => call.turn === turn),
    latencyMs: answer.durationMs ?? null,
    // Only the whole conversation has a price that every agent tells.
    ...{ usage: null, toldCostUsd: null },
  };
}

/** What the checks of a block say by their places; nothing where the time was over before. */
type Reached = (CheckVerdict | undefined)[];

async function judgeBlocks(state: CaseState, blocks: readonly Block[], context: CaseContext): Promise<CaseState> {
  const reached: Reached[] = [];
  try {
    for (const block of blocks) {
      const verdicts: Reached = [];
      reached.push(verdicts);
      const judge = judgeOf(block, context);
      for (const [checkIndex, check] of cheapestFirst(block.behavior.checks)) {
        const judged = judge === undefined ? neverReached(state) : judge(check);
        verdicts[checkIndex] = judged instanceof Promise ? await judged : judged;
      }
    }
  } catch (error) {
    return overtime(withChecks(state, blocks, reached), context, error);
  }
  return withChecks(state, blocks, reached);
}

const judgeOf = ({ seen, turn }: Block, context: CaseContext) =>
  seen && checkJudge(seen, context, turn === undefined ? undefined : [...seen.toolCalls]);

function neverReached({ transcript }: CaseState): CheckVerdict {
  const turns = transcript.filter(({ role, turn }) => role === 'agent' && turn !== undefined).length;
  return { status: 'fail', details: { reasoning: `The agent ended the conversation in turn ${turns}` } };
}

/** The blocks with every check in its place; one that was not reached could not be evaluated, and a failed one still decides. */
function withChecks(state: CaseState, blocks: readonly Block[], reached: readonly Reached[]): CaseState {
  const results = blocks.map(({ behavior, turn }, block) =>
    behavior.checks.map((check, checkIndex) =>
      asResult(check, { checkIndex, turn }, reached[block]?.[checkIndex] ?? checkError('The time was over')),
    ),
  );
  const verdicts = results.map((checks, block) =>
    combineChecks(
      blocks[block]?.behavior.mode ?? 'all',
      checks.map(({ status }) => status),
    ),
  );
  return { ...state, checks: results.flat(), behavior: combineChecks('all', verdicts) };
}

function cheapestFirst(checks: readonly Check[]): [number, Check][] {
  return [...checks.entries()].sort(([, a], [, b]) => Number(asksSomebody(a)) - Number(asksSomebody(b)));
}

function asResult(
  check: Check,
  { checkIndex, turn }: { checkIndex: number; turn: number | undefined },
  { status, details, error }: CheckVerdict,
): CheckResult {
  const result = {
    checkIndex,
    checkType: check.type,
    status,
    passed: status === 'pass',
    details,
    error: error ?? null,
  };
  return turn === undefined ? result : { ...result, turn };
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
