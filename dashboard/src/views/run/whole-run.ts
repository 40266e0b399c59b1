import type { RunPageQuery } from '../../operations/documents.ts';

export type WholeRun = NonNullable<RunPageQuery['run']>;
export type SuiteRunOfRun = WholeRun['suiteRuns'][number];
