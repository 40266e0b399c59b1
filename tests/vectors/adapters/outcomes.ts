import { decideStatus } from '@proofmark/runner-agent/decide-status';
import { matchTools } from '@proofmark/runner-agent/match-tools';
import { z } from 'zod';
import { adapter } from './adapter.ts';

const Names = z.array(z.string());
const Metric = z.object({
  passed: z.boolean(),
  error: z.string().nullish(),
  fail_on_error: z.boolean().default(false),
});

const callOf = (name: string, index: number) => ({
  id: String(index),
  name,
  args: {},
  argsError: null,
  result: null,
  error: null,
  source: 'reported' as const,
  turn: 0,
  durationMs: 0,
});

export const outcomes = {
  tools_matched: adapter(z.object({ expected: Names.nullable(), actual: Names }), ({ expected, actual }) => {
    // Names ask "was it used", so the parser folds repeated ones.
    const entries =
      expected && [...new Set(expected)].map((tool) => ({ tool, expected_params: null, forbidden: false }));
    return matchTools(entries, actual.map(callOf)).matched;
  }),
  test_passed: adapter(
    z.object({ errors: Names, metrics: z.array(Metric), tools_matched: z.boolean().nullable() }),
    ({ errors: [error], metrics, tools_matched }) => {
      const { status, degraded } = decideStatus({
        error: error === undefined ? null : { kind: 'agent', message: error },
        toolsMatched: tools_matched,
        verdicts: [],
        checks: [],
        metrics: metrics.map(({ passed, error: problem, fail_on_error }, index) => ({
          metric_name: `metric ${index}`,
          passed,
          error: problem ?? null,
          failOnError: fail_on_error,
        })),
      });
      return { passed: status === 'passed', degraded };
    },
  ),
};
