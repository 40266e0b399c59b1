import { z } from 'zod';
import { operation } from '../operation.ts';
import { AnsweredStart, startedFields } from './start-run.ts';

export interface RepeatTestRunInput {
  testRunId: string;
  /** The same key is the same repeat, whatever the number of tries. */
  idempotencyKey: string;
}

export const repeatTestRunOperation = operation<{ input: RepeatTestRunInput }>()(
  'RepeatTestRun',
  `mutation RepeatTestRun($input: RepeatTestRunInput!) {
    repeatTestRun(input: $input) {${startedFields}
    }
  }`,
  z.looseObject({ repeatTestRun: AnsweredStart }).transform(({ repeatTestRun }) => repeatTestRun),
);
