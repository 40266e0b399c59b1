import { expectTools, ToolExpectation } from '@proofmark/contracts/test-case';
import { type Adapter, adapter } from '@proofmark/domain/vector-adapter';
import { z } from 'zod';
import { decideStatus } from './case/finish-outcome.ts';
import { combineChecks } from './checks/check-verdict.ts';
import { matchTools } from './checks/match-tools.ts';
import { containsPhrases } from './checks/plain-checks.ts';
import { parseJudgeAnswer } from './judge/llm-judge.ts';
import { cosineSimilarity, reachesThreshold } from './judge/similarity.ts';

const Verdict = z
  .union([z.boolean(), z.null()])
  .transform((passed) => (passed === null ? 'error' : passed ? 'pass' : 'fail'));
const verdictOf = { pass: true, fail: false, error: null, skip: null };

const JudgedMetric = z.object({
  metric_name: z.string().default('m'),
  passed: z.boolean(),
  error: z.string().nullish(),
  fail_on_error: z.boolean().default(false),
});
const Judged = z.object({
  errors: z.array(z.string()).default([]),
  metrics: z.array(JudgedMetric).default([]),
  tools_matched: z.boolean().nullable().default(null),
});

const ExpectedTools = z
  .array(z.union([z.string(), ToolExpectation]))
  .nullable()
  .transform((entries) => {
    const names = entries?.filter((entry) => typeof entry === 'string') ?? [];
    return entries && [...expectTools(names), ...entries.filter((entry) => typeof entry !== 'string')];
  });
const Call = z
  .union([
    z.string().transform((name) => ({ name, args: {} })),
    z.object({ name: z.string(), args: z.json().default({}) }),
  ])
  .transform((call, context) => ({
    ...call,
    id: context.value.name,
    argsError: null,
    result: null,
    error: null,
    source: 'mock' as const,
    turn: 0,
    durationMs: 0,
  }));

/** What answers the vectors about one test run. */
export const runnerAdapters: Readonly<Record<string, Adapter>> = {
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
  test_passed: adapter(Judged, ({ errors, metrics, tools_matched }) => {
    const [message] = errors;
    const { status, degraded } = decideStatus({
      error: message === undefined ? null : { kind: 'agent', message },
      toolsMatched: tools_matched,
      verdicts: [],
      checks: [],
      metrics: metrics.map((one) => ({ ...one, error: one.error ?? null, failOnError: one.fail_on_error })),
    });
    return { passed: status === 'passed', degraded };
  }),
  tools_matched: adapter(
    z.object({ expected: ExpectedTools, actual: z.array(Call) }),
    ({ expected, actual }) => matchTools(expected, actual).matched,
  ),
};
