import type { AlertKind } from '@proofmark/contracts/alert-message';
import { enumOf } from '../words.ts';

export const AlertKindType = enumOf<AlertKind>('AlertKind', 'What people are told of without looking.', {
  regression: 'A run of a schedule or of the base branch is worse than its alert rule allows.',
  newly_flaky: 'Cases of the base branch pass and fail by themselves, and did not before.',
  budget: 'A run of a schedule or of the base branch has spent its money or its tokens.',
  nothing_executed: 'Nothing was executed where something should have been: no runner, a dead model, a refused start.',
  recovered: 'What was told earlier is over.',
  test: 'Somebody tries a channel.',
});
