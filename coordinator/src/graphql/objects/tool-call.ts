import type { ToolCall } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';

export const ToolCallType = builder.objectRef<ToolCall>('ToolCall').implement({
  description: 'One call of a tool by the agent.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id that the model gave the call.' }),
    name: t.exposeString('name', { description: 'Name of the tool.' }),
    args: t.field({ type: 'JSON', nullable: true, description: 'Its arguments.', resolve: ({ args }) => args }),
    argsError: t.exposeString('argsError', { nullable: true, description: 'Why the arguments could not be read.' }),
    result: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the tool answered.',
      resolve: ({ result }) => result,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The error that the agent was given instead of an answer.',
    }),
    source: t.exposeString('source', { description: 'Who answered: mock, live, reported, or none.' }),
    turn: t.exposeInt('turn', { description: 'In which turn of the conversation, from 0.' }),
    durationMs: t.exposeFloat('durationMs', { description: 'How long it took, in milliseconds.' }),
  }),
});
