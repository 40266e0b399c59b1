import type { Check } from '@proofmark/contracts/checks';
import type { CheckVerdict } from '../checks/check-verdict.ts';
import { checkJson, checkJsonPath, checkJsonSchema } from '../checks/json-checks.ts';
import { judgeAnswer } from '../checks/llm-judge.ts';
import { checkCost, checkLatency, checkToolCount } from '../checks/measure-checks.ts';
import { measureSimilarity } from '../checks/semantic-similarity.ts';
import {
  checkAbsence,
  checkEqual,
  checkLength,
  checkPattern,
  checkPhrases,
  checkStart,
} from '../checks/text-checks.ts';
import type { CaseContext, CaseState } from './case-state.ts';
import { costUsd } from './cost-usd.ts';

/** Checks that call a model. The others are done first: they cost nothing. */
export function needsModel({ type }: Check): boolean {
  return type === 'semantic_similarity' || type === 'llm_judge';
}

/** What one check says about an answer that is there. */
export async function evaluateCheck(
  check: Check,
  state: CaseState & { response: string },
  context: CaseContext,
): Promise<CheckVerdict> {
  const { response } = state;
  switch (check.type) {
    case 'semantic_similarity':
      return measureSimilarity(check, response, context);
    case 'llm_judge':
      return judgeAnswer(check, response, context);
    case 'latency':
      return checkLatency(check, state.latencyMs);
    case 'cost':
      return checkCost(check, costUsd(state.usage, context.work.model));
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
