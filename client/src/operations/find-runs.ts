import { RunTrigger } from '@proofmark/contracts/words';
import { z } from 'zod';
import { AnsweredRunStatus, AnsweredVerdictWord, operation, wordOf } from './operation.ts';
import { AnsweredStart, startedFields } from './start-run.ts';

/** Which runs; what is absent allows all. The words are those of `RunFilter` in the schema. */
export interface FindRuns {
  filter?: {
    status?: string;
    verdict?: string;
    trigger?: string;
    person?: string;
    repository?: string;
    branch?: string;
    pullRequest?: number;
    headSha?: string;
    isBase?: boolean;
    suite?: string;
    agent?: string;
    aiConfiguration?: string;
    tag?: string;
    variable?: { name: string; value: string | number | boolean };
    alertFired?: boolean;
    createdAfter?: string;
    createdBefore?: string;
  };
  /** NEWEST unless set. */
  orderBy?: 'NEWEST' | 'OLDEST' | 'LAST_ENDED';
  /** 1 to 100; 20 unless set. */
  first?: number;
  /** The `endCursor` of the page before. */
  after?: string | null;
}

const Count = z.looseObject({
  totalCases: z.int(),
  passedCases: z.int(),
  failedCases: z.int(),
  erroredCases: z.int(),
  passRate: z.number().nullable(),
});

const FoundRun = z.looseObject({
  id: z.uuid(),
  status: AnsweredRunStatus,
  triggeredBy: wordOf(RunTrigger.options),
  verdictWord: AnsweredVerdictWord.nullable(),
  repository: z.string().nullable(),
  headSha: z.string().nullable(),
  pullRequest: z.int().nullable(),
  author: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.string(),
  durationMs: z.number().nullable(),
  costUsd: z.number().nullable(),
  head: Count,
});
type FoundRun = z.infer<typeof FoundRun>;

/** A page of runs; `endCursor` is null behind the last one. */
export interface FoundRuns {
  runs: FoundRun[];
  endCursor: string | null;
}

export const findRunsOperation = operation<FindRuns>()(
  'FindRuns',
  `query FindRuns($filter: RunFilter, $orderBy: TimeOrder, $first: Int, $after: String) {
    runs(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
      edges { node {
        id status triggeredBy verdictWord repository headSha pullRequest author createdBy createdAt durationMs costUsd
        head { totalCases passedCases failedCases erroredCases passRate }
      } }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  z
    .looseObject({
      runs: z.looseObject({
        edges: z.array(z.looseObject({ node: FoundRun })),
        pageInfo: z.looseObject({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
      }),
    })
    .transform(
      ({ runs }): FoundRuns => ({
        runs: runs.edges.map(({ node }) => node),
        endCursor: runs.pageInfo.hasNextPage ? runs.pageInfo.endCursor : null,
      }),
    ),
);

export interface RerunRequest {
  runId: string;
  /** The same key is the same repeat, whatever the number of tries. */
  idempotencyKey: string;
  /** Which of its cases; ALL unless set. */
  only?: 'ALL' | 'FAILED' | 'ERRORED';
}

export const rerunRunOperation = operation<{ input: RerunRequest }>()(
  'RerunRun',
  `mutation RerunRun($input: RerunRunInput!) {
    rerunRun(input: $input) {${startedFields}
    }
  }`,
  z.looseObject({ rerunRun: AnsweredStart }).transform(({ rerunRun }) => rerunRun),
);

export interface Download {
  id: string;
  format: 'CSV' | 'JSONL' | 'JUNIT' | 'HTML';
}

/** A link to the results as a file, for a quarter of an hour; null for an unknown run, or while nothing of it has ended. */
export const downloadOperation = operation<Download>()(
  'DownloadRun',
  'query DownloadRun($id: UUID!, $format: DownloadFormat!) { run(id: $id) { download(format: $format) { url expiresAt } } }',
  z
    .looseObject({
      run: z.looseObject({ download: z.looseObject({ url: z.url(), expiresAt: z.string() }).nullable() }).nullable(),
    })
    .transform(({ run }) => run?.download ?? null),
);
