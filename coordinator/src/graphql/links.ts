import { builder } from './builder.ts';
import type { GraphqlContext } from './context.ts';
import { suiteById } from './definitions/read-suites.ts';
import { SuiteType } from './definitions/suites.ts';
import { TestCaseType, testCaseById } from './definitions/test-cases.ts';
import { type RunView, runById } from './runs/read-runs.ts';
import { RunType } from './runs/runs.ts';
import { CaseHistoryPointType, FlakyCaseType } from './suite-runs/case-history.ts';
import { PassRatePointType } from './suite-runs/pass-rate-history.ts';
import { type SuiteRunView, suiteRunById } from './suite-runs/read-suite-runs.ts';
import { SuiteRunType } from './suite-runs/suite-runs.ts';
import { TestRunType } from './test-runs/test-runs.ts';

/*
 * The ways from one noun to another that lead back and across. They stand beside all nouns, so that the files of two nouns
 * need not import each other. Whoever may see something may see what it belongs to; suites and cases are for tokens of
 * programs and people.
 */

async function runOf({ runId }: { runId: string }, _args: unknown, context: GraphqlContext): Promise<RunView> {
  return there(await runById(context, runId), 'run');
}

async function suiteRunOf(
  { suiteRunId }: { suiteRunId: string },
  _args: unknown,
  context: GraphqlContext,
): Promise<SuiteRunView> {
  return there(await suiteRunById(context, suiteRunId), 'suite run');
}

/** Keys of the ledger tie it to what asks for it; only retention may have removed both since. */
function there<Row>(row: Row | null, what: string): Row {
  if (row === null) throw new Error(`The ${what} vanished while it was read`);
  return row;
}

const theRun = 'The run that it is part of.';
const theSuiteRun = 'The suite run that it is part of.';

builder.objectFields(SuiteRunType, (t) => ({
  run: t.field({ type: RunType, description: theRun, resolve: runOf }),
  suite: t.field({
    type: SuiteType,
    nullable: true,
    authScopes: { readAll: true },
    description: 'The suite as the base branch defines it now; null when it was deleted.',
    resolve: ({ suiteId }, _args, context) => suiteById(context, suiteId),
  }),
  baseline: t.field({
    type: SuiteRunType,
    nullable: true,
    description: 'The suite run that it was compared with; null when there was none, or retention has removed it.',
    resolve: async ({ baselineSuiteRunId }, _args, context) =>
      baselineSuiteRunId === null ? null : await suiteRunById(context, baselineSuiteRunId),
  }),
}));

builder.objectFields(TestRunType, (t) => ({
  suiteRun: t.field({ type: SuiteRunType, description: theSuiteRun, resolve: suiteRunOf }),
  testCase: t.field({
    type: TestCaseType,
    nullable: true,
    authScopes: { readAll: true },
    description: 'The case as the base branch defines it now; null when it was deleted.',
    resolve: ({ testCaseId }, _args, context) => testCaseById(context, testCaseId),
  }),
}));

builder.objectField(TestCaseType, 'suite', (t) =>
  t.field({
    type: SuiteType,
    nullable: true,
    description: 'Its home, the suite that it belongs to; null when that was deleted.',
    resolve: ({ suiteId }, _args, context) => suiteById(context, suiteId),
  }),
);

builder.objectFields(PassRatePointType, (t) => ({
  run: t.field({ type: RunType, description: theRun, resolve: runOf }),
  suiteRun: t.field({
    type: SuiteRunType,
    description: 'The suite run that the point stands for.',
    resolve: suiteRunOf,
  }),
}));

builder.objectFields(CaseHistoryPointType, (t) => ({
  run: t.field({ type: RunType, description: theRun, resolve: runOf }),
  suiteRun: t.field({ type: SuiteRunType, description: theSuiteRun, resolve: suiteRunOf }),
}));

builder.objectFields(FlakyCaseType, (t) => ({
  testCase: t.field({
    type: TestCaseType,
    nullable: true,
    description: 'The case as the base branch defines it now; null when it was deleted meanwhile.',
    resolve: ({ testCaseId }, _args, context) => testCaseById(context, testCaseId),
  }),
  suite: t.field({
    type: SuiteType,
    nullable: true,
    description: 'The suite in which it is flaky; null when that was deleted meanwhile.',
    resolve: ({ suiteId }, _args, context) => suiteById(context, suiteId),
  }),
}));
