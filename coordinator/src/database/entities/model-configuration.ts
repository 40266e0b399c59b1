import { defineEntity, p } from '@mikro-orm/core';
import type { AiConfiguration, ModelLimits, TokenPrice } from '@proofmark/contracts/ai-configuration';
import { createdAt, deletedAt, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { nameOfOwner } from './index-on.ts';
import { Repository } from './repository.ts';
import { tenantIsolation } from './tenant-policies.ts';

const ModelConfigurationSchema = defineEntity({
  name: 'ModelConfiguration',
  tableName: 'model_configurations',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  indexes: [nameOfOwner('model_configurations')],
  properties: {
    tenantId,
    id: id(),
    /** Whose project file it stands in; null: made through the API, for the whole tenant. */
    repository: () => partOf(Repository, 'repository_id').nullable(),
    name: text(),
    provider: text(),
    model: text(),
    baseUrl: text().nullable(),
    /** The name of a variable of the runner; the key itself is nowhere. */
    apiKeyEnv: text().nullable(),
    temperature: p.double().nullable(),
    maxTokens: p.integer().nullable(),
    /** Null: answers come in one piece. */
    stream: p.boolean().nullable(),
    seed: p.integer().nullable(),
    reasoningEffort: text().nullable(),
    structuredOutput: text().nullable(),
    /** Null: it does not tell them. */
    logProbabilities: p.boolean().nullable(),
    extraBody: p.json<AiConfiguration['extra_body']>().nullable(),
    price: p.json<TokenPrice>().nullable(),
    limits: p.json<ModelLimits>().nullable(),
    /** Null: any runner reaches it. */
    pool: text().nullable(),
    /** How lists show it. */
    label: text().nullable(),
    description: text().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** A named model set-up: the AI configuration of a project file, stored. */
export class ModelConfiguration extends ModelConfigurationSchema.class {}
ModelConfigurationSchema.setClass(ModelConfiguration);
