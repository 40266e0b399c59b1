import { defineEntity, p } from '@mikro-orm/core';
import type { TokenPrice } from '@proofmark/contracts/ai-configuration';
import { createdAt, deletedAt, id, tenantId, text, updatedAt } from './columns.ts';
import { tenantIsolation } from './tenant-policies.ts';

const ModelConfigurationSchema = defineEntity({
  name: 'ModelConfiguration',
  tableName: 'model_configurations',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  uniques: [{ name: 'model_configurations_name_key', properties: ['tenantId', 'name'], where: 'deleted_at is null' }],
  properties: {
    tenantId,
    id: id(),
    name: text(),
    provider: text(),
    model: text(),
    baseUrl: text().nullable(),
    /** The name of a variable of the runner; the key itself is nowhere. */
    apiKeyEnv: text().nullable(),
    temperature: p.double().nullable(),
    maxTokens: p.integer().nullable(),
    price: p.json<TokenPrice>().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** A named model set-up: the AI configuration of a project file, stored. */
export class ModelConfiguration extends ModelConfigurationSchema.class {}
ModelConfigurationSchema.setClass(ModelConfiguration);
