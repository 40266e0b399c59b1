import type { SuiteRunPageQuery } from '../../operations/documents.ts';

export type WholeSuiteRun = NonNullable<SuiteRunPageQuery['suiteRun']>;
