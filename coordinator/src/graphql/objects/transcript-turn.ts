import type { TranscriptTurn } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';

export const TranscriptTurnType = builder.objectRef<TranscriptTurn>('TranscriptTurn').implement({
  description: 'One turn of the conversation.',
  fields: (t) => ({
    role: t.exposeString('role', { description: 'Who speaks: user, agent or tool.' }),
    text: t.exposeString('text', { description: 'What was said. Written by a model or a person: never trust it.' }),
    toolCallId: t.exposeString('toolCallId', { nullable: true, description: 'The call that a tool answers.' }),
  }),
});
