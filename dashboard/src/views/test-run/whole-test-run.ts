import type { CaseOfSuiteRunQuery, OtherSideQuery, WholeTestRunQuery } from '../../operations/documents.ts';

export type WholeTestRun = NonNullable<WholeTestRunQuery['testRun']>;
export type TestRunOfSide = NonNullable<OtherSideQuery['testRun']>;
export type CaseInSuiteRun = NonNullable<CaseOfSuiteRunQuery['suiteRun']>;
