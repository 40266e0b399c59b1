import { builder } from '../builder.ts';

type Fields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

const optional = (t: Fields) => ({
  baseUrl: t.string({ description: 'Address of an OpenAI-compatible server.' }),
  apiKeyEnv: t.string({ description: 'Name of the environment variable with the key, where cases run.' }),
  temperature: t.float({ description: '0 to 2, unless a variable says otherwise.' }),
  maxTokens: t.int({ description: 'Longest answer, in tokens.' }),
  stream: t.boolean({ description: 'Whether answers are asked for as a stream; false unless set.' }),
  price: t.field({ type: 'JSON', description: 'US dollars per million tokens: input, output, cached_input.' }),
  limits: t.field({ type: 'JSON', description: 'How often the model may be called: requests_per_minute, burst.' }),
  label: t.string({ description: 'How lists show it.' }),
  description: t.string({ description: 'For people.' }),
});

export const CreateAiConfigurationInputType = builder.inputType('CreateAiConfigurationInput', {
  description: 'A model set-up. The key itself is never sent: only the name of the variable that holds it.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What variables, agents and suites call it.' }),
    provider: t.string({ required: true, description: 'Who serves the model, such as openai.' }),
    model: t.string({ required: true, description: 'Name of the model at the provider.' }),
    ...optional(t),
  }),
});

export const UpdateAiConfigurationInputType = builder.inputType('UpdateAiConfigurationInput', {
  description: 'What changes of an AI configuration. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Its id.' }),
    provider: t.string({ description: 'Who serves the model, such as openai.' }),
    model: t.string({ description: 'Name of the model at the provider.' }),
    ...optional(t),
  }),
});
