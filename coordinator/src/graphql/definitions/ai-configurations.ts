import type { AiConfiguration, ModelLimits, TokenPrice } from '@proofmark/contracts/ai-configuration';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { aiConfigurations } from '../../definitions/shared-kinds.ts';
import { builder, type InputFields } from '../builder.ts';
import { byId } from '../loaders.ts';
import {
  defineListed,
  type NamedSelect,
  readNamed,
  sharedChanges,
  sharedColumns,
  visibleShared,
} from './definitions.ts';

const aiConfigurationColumns = {
  ...sharedColumns,
  provider: column<string>(),
  model: column<string>(),
  baseUrl: column<string | null>(),
  apiKeyEnv: column<string | null>(),
  temperature: column<number | null>(),
  maxTokens: column<number | null>(),
  stream: column<boolean>(sql`coalesce(t.stream, false)`),
  seed: column<number | null>(),
  reasoningEffort: column<string | null>(),
  structuredOutput: column<string | null>(),
  logProbabilities: column<boolean>(sql`coalesce(t.log_probabilities, false)`),
  extraBody: column<AiConfiguration['extra_body'] | null>(),
  price: column<TokenPrice | null>(),
  limits: column<ModelLimits | null>(),
  pool: column<string | null>(),
  label: column<string | null>(),
  description: column<string | null>(),
};

export type AiConfigurationView = RowOf<typeof aiConfigurationColumns>;

const selectAiConfigurations = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<AiConfigurationView> => sql`
  select ${selectList('t', aiConfigurationColumns)} from model_configurations t where ${visibleShared(caller)}`;

/** For a suite that names it: whoever may see the suite may see what it points at. */
export const aiConfigurationById = byId((database, tenantId, ids) =>
  readNamed(database, tenantId, selectAiConfigurations({ repositoryId: null }), ids),
);

export const AiConfigurationType = builder.objectRef<AiConfigurationView>('AiConfiguration').implement({
  description: 'A named model set-up. The key itself is nowhere here: only the name of the variable that holds it.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Id of the AI configuration.' }),
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
    seed: t.exposeInt('seed', { nullable: true, description: 'Sent with every call.' }),
    reasoningEffort: t.exposeString('reasoningEffort', {
      nullable: true,
      description: 'How long a model that reasons may think, in its own words.',
    }),
    structuredOutput: t.exposeString('structuredOutput', {
      nullable: true,
      description:
        'How judges and simulators are asked for JSON; null: with a strict schema, as far as the model takes it.',
    }),
    logProbabilities: t.exposeBoolean('logProbabilities', {
      description: 'Whether the model tells how probable its tokens were, so that G-Eval scores are weighted with it.',
    }),
    extraBody: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Fields that are sent with each call as they are.',
      resolve: ({ extraBody }) => extraBody,
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
    pool: t.exposeString('pool', { nullable: true, description: 'The pool of runners from which it is reached.' }),
    label: t.exposeString('label', { nullable: true, description: 'How lists show it.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What it is for, in the words of its author.',
    }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const optional = (t: InputFields) => ({
  baseUrl: t.string({ description: 'Address of an OpenAI-compatible server.' }),
  apiKeyEnv: t.string({ description: 'Name of the environment variable with the key, where cases run.' }),
  temperature: t.float({ description: '0 to 2, unless a variable says otherwise.' }),
  maxTokens: t.int({ description: 'Longest answer, in tokens.' }),
  stream: t.boolean({ description: 'Whether answers are asked for as a stream; false unless set.' }),
  seed: t.int({ description: 'Sent with every call.' }),
  reasoningEffort: t.string({ description: 'How long a model that reasons may think, in its own words.' }),
  structuredOutput: t.string({
    description: 'How judges and simulators are asked for JSON: tool, strict_schema, schema, json_object or plain.',
  }),
  logProbabilities: t.boolean({
    description: 'Whether the model tells how probable its tokens were; false unless set.',
  }),
  extraBody: t.field({ type: 'JSON', description: 'Fields that are sent with each call as they are.' }),
  price: t.field({ type: 'JSON', description: 'US dollars per million tokens: input, output, cached_input.' }),
  limits: t.field({ type: 'JSON', description: 'How often the model may be called: requests_per_minute, burst.' }),
  pool: t.string({ description: 'The pool of runners from which it is reached; absent: any.' }),
  label: t.string({ description: 'How lists show it.' }),
  description: t.string({ description: 'What it is for, in the words of its author.' }),
});

const CreateAiConfigurationInputType = builder.inputType('CreateAiConfigurationInput', {
  description: 'A model set-up. The key itself is never sent: only the name of the variable that holds it.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What variables, agents and suites call it.' }),
    provider: t.string({ required: true, description: 'Who serves the model, such as openai.' }),
    model: t.string({ required: true, description: 'Name of the model at the provider.' }),
    ...optional(t),
  }),
});

const UpdateAiConfigurationInputType = builder.inputType('UpdateAiConfigurationInput', {
  description: 'What changes of an AI configuration. Its name stays.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the AI configuration.' }),
    provider: t.string({ description: 'Who serves the model, such as openai.' }),
    model: t.string({ description: 'Name of the model at the provider.' }),
    ...optional(t),
  }),
});

defineListed({
  type: AiConfigurationType,
  fields: { one: 'aiConfiguration', many: 'aiConfigurations' },
  words: { one: 'AI configuration', many: 'AI configurations', article: 'an' },
  select: selectAiConfigurations,
  scope: 'admin',
  deleted: 'Suites that name it stay and refuse to run until they name another.',
  ...sharedChanges(aiConfigurations, {
    create: CreateAiConfigurationInputType,
    update: UpdateAiConfigurationInputType,
  }),
});
