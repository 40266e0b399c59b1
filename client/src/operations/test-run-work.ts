import { z } from 'zod';
import { operation } from '../operation.ts';

/** A test run with what it was given and what came of it. `work` is a `CaseWork`, `outcome` a `CaseOutcome`. */
export const TestRunWork = z.looseObject({
  id: z.uuid(),
  caseName: z.string(),
  repetition: z.int(),
  status: z.string().transform((word) => word.toLowerCase()),
  skipReason: z.string().nullable(),
  work: z.unknown(),
  outcome: z.unknown(),
});
export type TestRunWork = z.infer<typeof TestRunWork>;

/** Null: there is no test run with this id for this token. */
export const testRunWorkOperation = operation<{ id: string }>()(
  'TestRunWork',
  'query TestRunWork($id: UUID!) { testRun(id: $id) { id caseName repetition status skipReason work outcome } }',
  z.looseObject({ testRun: TestRunWork.nullable() }).transform(({ testRun }) => testRun),
);
