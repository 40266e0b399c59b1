import type { Check, GroupCheck, NotCheck } from '@proofmark/contracts/checks';
import type { CaseContext, CaseState } from '../case/case-state.ts';
import { judgeByCode, type ToldRun, toldRun } from '../case/judge-by-code.ts';
import { type CheckVerdict, combineChecks } from '../checks/check-verdict.ts';
import { type AnswerFacts, judgePlainly } from '../checks/plain-checks.ts';
import { judgeAnswer } from '../judge/llm-judge.ts';
import { costUsd } from '../judge/meter-models.ts';
import { measureSimilarity } from '../judge/similarity.ts';
import { askedText } from '../metrics/metric-subject.ts';

/** The facts of one answer that checks look at. */
interface Answered {
  state: CaseState & { response: string };
  evidence: AnswerFacts;
  told: ToldRun;
  context: CaseContext;
}

/** What a check says: at once, unless it asks somebody. */
type Judging = CheckVerdict | Promise<CheckVerdict>;

/** Judges one answer by any check. What it took, and what was called, is looked up once. */
export function checkJudge(
  state: CaseState & { response: string },
  context: CaseContext,
  calls = context.tools.calls,
): (check: Check) => Judging {
  const { response, latencyMs } = state;
  const { work } = context;
  const cost = state.toldCostUsd ?? costUsd(state.usage, work.model);
  const evidence = { response, latencyMs, costUsd: cost, calls, tools: work.agent.tools };
  const answered = { state, evidence, told: toldRun(state, { work, response, costUsd: cost }), context };
  return (check) => evaluateCheck(check, answered);
}

function evaluateCheck(check: Check, answered: Answered): Judging {
  if (check.type === 'not') return evaluateNot(check, answered);
  if (check.type === 'group') return evaluateGroup(check, answered);
  const { state, evidence, told, context } = answered;
  if (check.type === 'semantic_similarity') return measureSimilarity(check, evidence.response, context);
  if (check.type === 'llm_judge') return judgeAnswer(check, judgedResponse(state, context), context);
  if (check.type === 'code' || check.type === 'command' || check.type === 'http')
    return judgeByCode(check, told, context);
  return judgePlainly(check, evidence);
}

const judgedResponse = (
  { response, files, toolCalls: calls, transcript, testInput }: CaseState & { response: string },
  { work: { case: testCase } }: CaseContext,
) => ({
  ...{ response, files, calls, groundTruth: testCase.ground_truth },
  question: askedText({ transcript, testInput }, testCase),
});

async function evaluateNot(check: NotCheck, answered: Answered): Promise<CheckVerdict> {
  return negated(check, await evaluateCheck(check.check, answered));
}

async function evaluateGroup(group: GroupCheck, answered: Answered): Promise<CheckVerdict> {
  const verdicts: CheckVerdict[] = [];
  for (const check of group.checks) verdicts.push(await evaluateCheck(check, answered));
  return gathered(group, verdicts);
}

/** What could not be judged is not the opposite of anything. */
function negated({ check }: NotCheck, { status, details, error }: CheckVerdict): CheckVerdict {
  if (status === 'error' || status === 'skip') return { status, details, ...(error === undefined ? {} : { error }) };
  if (status === 'fail') return { status: 'pass', details: {} };
  const why = details.reasoning === undefined ? '' : `: ${details.reasoning}`;
  return { status: 'fail', details: { reasoning: `The check ${check.type} passed, and must not${why}` } };
}

/** Several verdicts as one; those that could not be made count for both ends, and decide where both ends agree. */
function gathered(group: GroupCheck, verdicts: readonly CheckVerdict[]): CheckVerdict {
  const components = verdicts.map(({ status, details, error }, index) => ({
    name: group.checks[index]?.type ?? '',
    status,
    ...(details.score === undefined ? {} : { score: details.score }),
    ...((error ?? details.reasoning) === undefined ? {} : { reasoning: error ?? details.reasoning }),
  }));
  const { status, score } =
    group.threshold === undefined ? byNumber(group, verdicts) : byWeight(group, group.threshold, verdicts);
  const error = status === 'error' ? verdicts.find((one) => one.status === 'error')?.error : undefined;
  const passed = verdicts.filter((one) => one.status === 'pass').length;
  const failed = components.filter((one) => one.status === 'fail').map(({ name }) => name);
  const reasoning = `${passed} of ${verdicts.length} passed${failed.length === 0 ? '' : `, not ${failed.join(', ')}`}`;
  return {
    status,
    details: {
      ...(status === 'fail' ? { reasoning } : {}),
      ...(score === undefined ? {} : { score, threshold: group.threshold }),
      components,
    },
    ...(status === 'error' ? { error: error ?? 'A check of the group could not be made' } : {}),
  };
}

interface Gathered {
  status: CheckVerdict['status'];
  score?: number;
}

function byNumber({ mode = 'all', at_least }: GroupCheck, verdicts: readonly CheckVerdict[]): Gathered {
  const statuses = verdicts.map(({ status }) => status).filter((status) => status !== 'skip');
  if (at_least === undefined || statuses.length === 0)
    return {
      status: combineChecks(
        mode,
        verdicts.map(({ status }) => status),
      ),
    };
  const passed = statuses.filter((status) => status === 'pass').length;
  const open = statuses.filter((status) => status === 'error').length;
  if (passed >= at_least) return { status: 'pass' };
  return { status: passed + open < at_least ? 'fail' : 'error' };
}

function byWeight({ weights }: GroupCheck, threshold: number, verdicts: readonly CheckVerdict[]): Gathered {
  const judged = verdicts
    .map((one, index) => ({ ...one, weight: weights?.[index] ?? 1 }))
    .filter(({ status }) => status !== 'skip');
  const whole = judged.reduce((sum, { weight }) => sum + weight, 0);
  if (whole === 0) return { status: 'skip' };
  const share = (scoreOfError: number): number =>
    judged.reduce((sum, one) => sum + one.weight * (one.status === 'error' ? scoreOfError : scoreOf(one)), 0) / whole;
  const [worst, best] = [share(0), share(1)];
  // A sum of shares may miss a threshold by its last bit.
  const reaches = (score: number): boolean => score >= threshold - 1e-9;
  if (reaches(worst)) return { status: 'pass', score: worst };
  return { status: reaches(best) ? 'error' : 'fail', score: worst };
}

const scoreOf = ({ status, details }: CheckVerdict): number =>
  details.score === undefined ? Number(status === 'pass') : Math.min(1, Math.max(0, details.score));
