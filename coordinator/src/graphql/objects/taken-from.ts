import type { TakenFrom } from '../../database/entities/test-suite-run.ts';
import { builder } from '../builder.ts';
import { enumOf } from '../enum-of.ts';

const HowTakenType = enumOf('HowTaken', 'Why results were taken over.', {
  reused: 'The same content was measured on another commit.',
  promoted: 'The content was measured in the pull request that brought it to the base branch.',
  judged_again: 'Its answers are judged again: the judge has changed since.',
});

export const TakenFromType = builder.objectRef<TakenFrom>('TakenFrom').implement({
  description: 'Where the results come from of a suite run that asked no agent. Retention may have removed it.',
  fields: (t) => ({
    how: t.expose('how', { type: HowTakenType, description: 'Why they were taken over.' }),
    suiteRunId: t.expose('suiteRunId', {
      type: 'UUID',
      description: 'The suite run that has measured them, or asked the agent for what is judged again.',
    }),
    runId: t.expose('runId', { type: 'UUID', description: 'Its run.' }),
    pullRequest: t.exposeInt('pullRequest', { nullable: true, description: 'Its pull request.' }),
  }),
});
