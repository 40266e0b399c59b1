import { builder } from '../builder.ts';

type Fields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

const optional = (t: Fields) => ({
  description: t.string({ description: 'For people.' }),
  instructions: t.string({ description: 'The prompt.' }),
  tools: t.field({ type: 'JSON', description: 'Tools that the model is offered: name, description, parameters.' }),
  driver: t.field({ type: 'JSON', description: 'How it is reached; absent: an OpenAI-compatible model.' }),
  aiConfiguration: t.string({ description: 'Name of its AI configuration; absent: the only one there is.' }),
});

export const CreateAgentInputType = builder.inputType('CreateAgentInput', {
  description: 'What is tested.',
  fields: (t) => ({
    repositoryId: t.field({ type: 'UUID', description: 'The repository that it belongs to; absent: none.' }),
    name: t.string({ required: true, description: 'Its name.' }),
    ...optional(t),
  }),
});

export const UpdateAgentInputType = builder.inputType('UpdateAgentInput', {
  description: 'What changes of an agent.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    name: t.string({ description: 'Its name.' }),
    ...optional(t),
  }),
});
