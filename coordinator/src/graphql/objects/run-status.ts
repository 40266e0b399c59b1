import { enumOf } from '../enum-of.ts';

export const RunStatusType = enumOf('RunStatus', 'Where a run or a suite run stands. The last three are final.', {
  pending: 'Accepted; no runner has taken anything of it yet.',
  running: 'At least one test run was taken by a runner.',
  completed: 'Every test run has a result.',
  failed: 'It ended early, for example at its deadline; see the reason.',
  cancelled: 'Somebody or a newer commit ended it.',
});
