import { builder } from '../builder.ts';
import type { AiConfigurationView } from '../read/shared-definition-views.ts';

export const AiConfigurationType = builder.objectRef<AiConfigurationView>('AiConfiguration').implement({
  description: 'A named model set-up. The key itself is nowhere here: only the name of the variable that holds it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    name: t.exposeString('name', { description: 'What variables, agents and suites call it.' }),
    provider: t.exposeString('provider', { description: 'Who serves the model.' }),
    model: t.exposeString('model', { description: 'Name of the model at the provider.' }),
    baseUrl: t.exposeString('baseUrl', { nullable: true, description: 'Address of an OpenAI-compatible server.' }),
    apiKeyEnv: t.exposeString('apiKeyEnv', {
      nullable: true,
      description: 'Name of the environment variable with the key, where cases run.',
    }),
    temperature: t.exposeFloat('temperature', {
      nullable: true,
      description: '0 to 2, unless a variable says otherwise.',
    }),
    maxTokens: t.exposeInt('maxTokens', { nullable: true, description: 'Longest answer, in tokens.' }),
    stream: t.exposeBoolean('stream', {
      description: 'Whether answers are asked for as a stream. What is stored is the same.',
    }),
    price: t.field({
      type: 'JSON',
      nullable: true,
      description: 'US dollars per million tokens: input, output, cached_input.',
      resolve: ({ price }) => price,
    }),
    limits: t.field({
      type: 'JSON',
      nullable: true,
      description: 'How often the model may be called: requests_per_minute, burst.',
      resolve: ({ limits }) => limits,
    }),
    label: t.exposeString('label', { nullable: true, description: 'How lists show it.' }),
    description: t.exposeString('description', { nullable: true, description: 'For people.' }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

export const AiConfigurationConnectionType = builder.connectionObject(
  { type: AiConfigurationType, name: 'AiConfigurationConnection', description: 'A page of AI configurations.' },
  { name: 'AiConfigurationEdge', description: 'A row of a page of AI configurations.' },
);
