import { z } from 'zod';
import { operation } from '../operation.ts';

const Found = z.looseObject({
  suiteRuns: z.array(
    z.looseObject({
      testRuns: z.looseObject({ edges: z.array(z.looseObject({ node: z.looseObject({ id: z.uuid() }) })) }),
    }),
  ),
});

/** The id of the first test run of a run; null when it has none, or when there is no such run for this token. */
export const onlyTestRunOperation = operation<{ id: string }>()(
  'OnlyTestRun',
  'query OnlyTestRun($id: UUID!) { run(id: $id) { suiteRuns { testRuns(first: 1) { edges { node { id } } } } } }',
  z
    .looseObject({ run: Found.nullable() })
    .transform(({ run }) => run?.suiteRuns[0]?.testRuns.edges[0]?.node.id ?? null),
);
