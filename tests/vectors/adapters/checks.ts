import { combineChecks } from '@proofmark/runner-agent/check-verdict';
import { parseJudgeAnswer } from '@proofmark/runner-agent/llm-judge';
import { containsPhrases } from '@proofmark/runner-agent/plain-checks';
import { cosineSimilarity, reachesThreshold } from '@proofmark/runner-agent/similarity';
import { z } from 'zod';
import { adapter } from './adapter.ts';

const Verdict = z
  .union([z.boolean(), z.null()])
  .transform((passed) => (passed === null ? 'error' : passed ? 'pass' : 'fail'));
const verdictOf = { pass: true, fail: false, error: null, skip: null };

export const checks = {
  contains_phrases: adapter(
    z.object({ response: z.string(), phrases: z.array(z.string()), case_sensitive: z.boolean().default(false) }),
    (input) => containsPhrases(input.response, input.phrases, input.case_sensitive),
  ),
  behavior_mode: adapter(z.object({ mode: z.enum(['all', 'any']), checks: z.array(Verdict) }), (input) => ({
    passed: verdictOf[combineChecks(input.mode, input.checks)],
  })),
  similarity: adapter(
    z.object({ a: z.array(z.number()), b: z.array(z.number()), threshold: z.number() }),
    ({ a, b, threshold }) => {
      const score = cosineSimilarity(a, b) ?? null;
      return { score, passed: score !== null && reachesThreshold(score, threshold) };
    },
  ),
  judge_parse: adapter(z.object({ text: z.string() }), ({ text }) => parseJudgeAnswer(text)),
};
