import { z } from 'zod';
import { operation } from '../operation.ts';

/** The whole test report of a suite run as JSON; null while it is open, when it has none, or for an unknown id. */
export const suiteRunReportOperation = operation<{ id: string }>()(
  'SuiteRunReport',
  'query SuiteRunReport($id: UUID!) { suiteRun(id: $id) { report } }',
  z
    .looseObject({ suiteRun: z.looseObject({ report: z.unknown() }).nullable() })
    .transform(({ suiteRun }) => suiteRun?.report ?? null),
);
