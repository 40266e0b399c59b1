import type { Problem } from '@proofmark/contracts/problem';
import { builder } from '../builder.ts';
import { enumOf } from '../enum-of.ts';
import type { RunView } from '../read/run-view.ts';
import { RunType } from './run.ts';
import { ProblemType } from './user-error.ts';
import { WhoReportsType } from './who-reports.ts';

const DispatchType = enumOf('Dispatch', 'When the first test runs leave.', {
  IMMEDIATE: 'Now.',
  DELAYED: 'As soon as the broker is back; the run is stored.',
});

export interface Started {
  run: RunView;
  created: boolean;
  dispatch: 'IMMEDIATE' | 'DELAYED';
  warnings: Problem[];
}

export const StartedType = builder.objectRef<Started>('StartRunSuccess').implement({
  description: 'The run is stored and will be executed, whatever happens to this connection.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run.', resolve: ({ run }) => run }),
    created: t.exposeBoolean('created', { description: 'False when the idempotency key had started it before.' }),
    warnings: t.field({
      type: [ProblemType],
      description: 'What is doubtful in the files, though it stops nothing.',
      resolve: ({ warnings }) => warnings,
    }),
    reporting: t.field({
      type: WhoReportsType,
      description: 'Who writes checks and comments of this run.',
      resolve: ({ run }, _args, { ports }) => (ports.hasApp && run.hasInstallation ? 'APP' : 'NONE'),
    }),
    dispatch: t.expose('dispatch', { type: DispatchType, description: 'When the first test runs leave.' }),
  }),
});
