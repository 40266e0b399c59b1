import { builder } from '../builder.ts';
import { enumOf } from '../enum-of.ts';
import type { ReportingView } from '../read/reporting.ts';

const ReportingKindType = enumOf('ReportingKind', 'What is written to the forge.', {
  'github-check': 'A check run on the commit.',
  'github-comment': 'The comment on the pull request.',
});

const ReportingStateType = enumOf('ReportingState', 'How far the forge is behind the ledger.', {
  due: 'To be written, or written again.',
  done: 'The forge shows what the ledger wants.',
  parked: 'Given up until something changes; see the reason.',
});

export const ReportingType = builder.objectRef<ReportingView>('RunReporting').implement({
  description: 'One check or comment of a run on the forge. Trouble with it never changes the run.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ReportingKindType, description: 'What it is.' }),
    name: t.exposeString('name', { description: 'Name of the check, or key of the comment.' }),
    state: t.expose('state', { type: ReportingStateType, description: 'How far it is.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not done.' }),
    tries: t.exposeInt('tries', { description: 'How often it was tried since it last changed.' }),
  }),
});
