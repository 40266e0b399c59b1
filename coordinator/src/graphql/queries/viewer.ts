import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { ViewerType } from '../objects/viewer.ts';
import { readViewerNames } from '../read/viewer-names.ts';

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerType,
    description: 'Who sends this request.',
    resolve: async (_root, _args, context) => {
      const caller = callerOf(context);
      return { ...caller, ...(await readViewerNames(context.ports.database, caller)) };
    },
  }),
);
