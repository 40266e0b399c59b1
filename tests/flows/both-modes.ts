import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { TestReport } from '@proofmark/contracts/test-report';
import { expect } from 'vitest';
import { z } from 'zod';
import type { ServerDialect } from '../stack/model/dialects.ts';
import type { Rule } from '../stack/model/rules.ts';
import type { ModelServer } from '../stack/model-server.ts';
import { type EndedCase, reportInProcess } from './run-in-process.ts';
import { type RunningProduct, type Suite, startRunningProduct } from './running-product.ts';

/** The two ways to run a suite. */
export const modes = ['in this process', 'on a runner'] as const;
type Mode = (typeof modes)[number];

/** A suite and what its models say. Models that count what they were asked begin anew in each mode. */
export interface Story {
  suite: Suite;
  rules: () => readonly Rule[];
  /** How the models refuse and answer; absent: obligingly. */
  dialect?: ServerDialect;
}

/** What the first suite run of a story came to. */
export interface Told {
  /** In the order of the suite. */
  ended: EndedCase[];
  report: TestReport;
  /** What the models were asked for it. */
  calls: ModelServer['requests'];
  /** The run on the coordinator; null in this process. */
  runId: string | null;
}

export type BothModes = AsyncDisposable & {
  running: RunningProduct;
  tell: (story: Story, mode: Mode) => Promise<Told>;
};

const Edges = z.object({
  edges: z.array(z.object({ node: z.object({ caseName: z.string(), outcome: CaseOutcome }) })),
});
const Answer = z.object({
  run: z.object({ suiteRuns: z.array(z.object({ report: TestReport, testRuns: Edges })) }),
});
const query = `query ($id: UUID!) { run(id: $id) { suiteRuns { report
  testRuns(first: 20) { edges { node { caseName outcome } } } } } }`;

/** One product and one model for all stories of a file; `keys` are those of the runner and of this process alike. */
export async function openBothModes(
  options: Parameters<typeof startRunningProduct>[0] & { keys?: Record<string, string> } = {},
): Promise<BothModes> {
  const { keys = {}, runnerEnv, ...others } = options;
  const running = await startRunningProduct({ ...others, runnerEnv: { ...keys, ...runnerEnv } });
  const { model } = running;
  const here = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url, ...keys };
  return {
    running,
    tell: async ({ suite, rules, dialect }, mode) => {
      model.play({ rules: rules(), dialect });
      const from = model.requests.length;
      const told =
        mode === 'in this process'
          ? { ...(await reportInProcess(suite, here)), runId: null }
          : await onRunner(running, suite);
      return { ...told, calls: model.requests.slice(from) };
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

async function onRunner(running: RunningProduct, suite: Suite): Promise<Omit<Told, 'calls'>> {
  const runId = await running.start(suite);
  await running.waitForEnd(runId);
  const { data, errors } = await running.ask(query, { id: runId });
  expect(errors).toEqual([]);
  const [suiteRun] = Answer.parse(data).run.suiteRuns;
  if (suiteRun === undefined) throw new Error('The run has no suite run');
  return { runId, report: suiteRun.report, ended: suiteRun.testRuns.edges.map(({ node }) => node) };
}
