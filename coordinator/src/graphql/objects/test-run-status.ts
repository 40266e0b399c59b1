import { enumOf } from '../enum-of.ts';

export const TestRunStatusType = enumOf('TestRunStatus', 'Where a test run stands. The last four are final.', {
  queued: 'Waits for a runner.',
  running: 'A runner holds it.',
  passed: 'Every check that counts passed.',
  failed: 'The agent answered, and a check failed.',
  skipped: 'Not executed; see the reason.',
  error: 'There is no verdict about the agent; see the kind of error.',
});
