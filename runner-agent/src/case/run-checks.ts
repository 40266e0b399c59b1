import type { CheckResult } from '@proofmark/contracts/case-outcome';
import type { Check } from '@proofmark/contracts/checks';
import type { CheckVerdict } from '../checks/check-verdict.ts';
import { combineChecks } from '../checks/combine-checks.ts';
import { containsPhrases } from '../checks/contains-phrases.ts';
import { judgeAnswer } from '../checks/llm-judge.ts';
import { measureSimilarity } from '../checks/semantic-similarity.ts';
import type { CaseContext, CaseState, CaseStep } from './case-state.ts';

/**
 * Evaluates every check of the `expected_behavior` block, those without a model first; one verdict does not stop the
 * others, so that people see all of them.
 */
export const runChecks: CaseStep = async (state, context) => {
  const behavior = context.work.case.expected_behavior;
  if (!behavior || state.response === null) return state;
  const response = state.response;
  const inOrder = [...behavior.checks.entries()].sort(([, a], [, b]) => Number(needsModel(a)) - Number(needsModel(b)));
  const verdicts: { result: CheckResult; flags: readonly string[] }[] = [];
  for (const [checkIndex, check] of inOrder) {
    const verdict = await evaluate(check, response, context);
    verdicts.push({ result: asResult(checkIndex, check, verdict), flags: verdict.flags ?? [] });
  }
  return withVerdicts(state, verdicts, behavior.mode);
};

const needsModel = (check: Check): boolean => check.type === 'semantic_similarity' || check.type === 'llm_judge';

async function evaluate(check: Check, response: string, context: CaseContext): Promise<CheckVerdict> {
  switch (check.type) {
    case 'contains_phrases': {
      const { passed, matched, missing } = containsPhrases(response, check.phrases, check.case_sensitive);
      return { status: passed ? 'pass' : 'fail', details: { matchedPhrases: matched, missingPhrases: missing } };
    }
    case 'semantic_similarity':
      return measureSimilarity(check, response, context);
    case 'llm_judge':
      return judgeAnswer(check, response, context);
    default:
      return { status: 'error', details: {}, error: `this runner cannot evaluate a check of type ${check.type}` };
  }
}

function asResult(checkIndex: number, check: Check, { status, details, error }: CheckVerdict): CheckResult {
  return { checkIndex, checkType: check.type, status, passed: status === 'pass', details, error: error ?? null };
}

function withVerdicts(
  state: CaseState,
  verdicts: readonly { result: CheckResult; flags: readonly string[] }[],
  mode: 'all' | 'any',
): CaseState {
  const checks = verdicts.map(({ result }) => result).sort((a, b) => a.checkIndex - b.checkIndex);
  return {
    ...state,
    checks,
    behavior: combineChecks(
      mode,
      checks.map((check) => check.status),
    ),
    flags: [...state.flags, ...verdicts.flatMap(({ flags }) => flags)],
  };
}
