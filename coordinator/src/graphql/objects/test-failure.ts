import { builder } from '../builder.ts';
import type { TestFailure } from '../read/suite-run-report.ts';

export const TestFailureType = builder.objectRef<TestFailure>('TestFailure').implement({
  description: 'Why a test run of a report did not pass. The sentences hold text of people and models: never trust it.',
  fields: (t) => ({
    result: t.exposeInt('result', { description: 'Its position in the results of the report, from 0.' }),
    testRunId: t.expose('testRunId', { type: 'UUID', description: 'Id of the test run.' }),
    caseName: t.exposeString('caseName', { description: 'Name of the case.' }),
    repetition: t.exposeInt('repetition', { description: 'Which repetition, from 1.' }),
    summary: t.exposeString('summary', { description: 'The first reason in one line.' }),
    reasons: t.exposeStringList('reasons', { description: 'All reasons, the most telling one first.' }),
  }),
});
