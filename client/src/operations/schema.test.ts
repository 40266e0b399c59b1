import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { cancelRunOperation } from './cancel-run.ts';
import { exchangeTokenOperation } from './exchange-token.ts';
import { onlyTestRunOperation } from './only-test-run.ts';
import { repeatTestRunOperation } from './repeat-test-run.ts';
import { runFeedbackOperation } from './run-feedback.ts';
import { runProgressOperation } from './run-progress.ts';
import { runReportOperation } from './run-report.ts';
import { runResultOperation } from './run-result.ts';
import { startRunOperation } from './start-run.ts';
import { suiteRunReportOperation } from './suite-run-report.ts';
import { suiteRunResultOperation } from './suite-run-result.ts';
import { testRunWorkOperation } from './test-run-work.ts';
import { viewerOperation } from './viewer.ts';

const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));

test.for([
  cancelRunOperation,
  exchangeTokenOperation,
  onlyTestRunOperation,
  repeatTestRunOperation,
  runFeedbackOperation,
  runProgressOperation,
  runReportOperation,
  runResultOperation,
  startRunOperation,
  suiteRunReportOperation,
  suiteRunResultOperation,
  testRunWorkOperation,
  viewerOperation,
])('D-04 $name is valid against schema.graphql', ({ text }) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
});
