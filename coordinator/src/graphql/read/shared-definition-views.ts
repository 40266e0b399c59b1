import type { ModelLimits, TokenPrice } from '@proofmark/contracts/ai-configuration';
import type { VariablesSchema } from '@proofmark/contracts/test-type';
import type { VariableValue } from '@proofmark/contracts/variables';
import { sql } from 'kysely';
import type { Caller } from '../../access/caller.ts';
import { sharedRows } from '../../definitions/reach.ts';
import type { NamedRow, NamedSelect } from './named-rows.ts';

interface SharedRow extends NamedRow {
  /** Whose project file it stands in; null: the tenant's own. */
  repositoryId: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface AiConfigurationView extends SharedRow {
  provider: string;
  model: string;
  baseUrl: string | null;
  apiKeyEnv: string | null;
  temperature: number | null;
  maxTokens: number | null;
  stream: boolean;
  price: TokenPrice | null;
  limits: ModelLimits | null;
  label: string | null;
  description: string | null;
}

export interface TestTypeView extends SharedRow {
  description: string | null;
  variablesSchema: VariablesSchema | null;
  /** Names of the AI configurations that an entity variable may be. */
  entityValues: string[];
}

export interface PresetView extends SharedRow {
  values: Record<string, VariableValue>;
}

const ownership = sql`t.id, t.name, t.repository_id as "repositoryId", t.created_at as "createdAt",
  t.updated_at as "updatedAt"`;
const visible = (caller: Pick<Caller, 'repositoryId'>) =>
  sql`t.deleted_at is null and ${sharedRows(caller, sql`t.repository_id`)}`;

export const selectAiConfigurations = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<AiConfigurationView> => sql`
  select ${ownership}, t.provider, t.model, t.base_url as "baseUrl", t.api_key_env as "apiKeyEnv", t.temperature,
    t.max_tokens as "maxTokens", coalesce(t.stream, false) as "stream", t.price, t.limits, t.label, t.description
  from model_configurations t where ${visible(caller)}`;

export const selectTestTypes = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<TestTypeView> => sql`
  select ${ownership}, t.description, t.variables_schema as "variablesSchema", array(
      select distinct m.name from model_configurations m
      where m.deleted_at is null and (m.repository_id is null or m.repository_id = t.repository_id) order by m.name)
    as "entityValues"
  from test_types t where ${visible(caller)}`;

export const selectPresets = (caller: Pick<Caller, 'repositoryId'>): NamedSelect<PresetView> => sql`
  select ${ownership}, t."values" from presets t where ${visible(caller)}`;
