import { builder } from '../builder.ts';
import { RunType } from '../objects/run.ts';
import { visibleRun } from '../visible-runs.ts';

builder.queryField('run', (t) =>
  t.field({
    type: RunType,
    nullable: true,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the run.' }) },
    description: 'One run; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await visibleRun(context, id),
  }),
);
