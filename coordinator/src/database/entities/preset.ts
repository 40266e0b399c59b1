import { defineEntity, p } from '@mikro-orm/core';
import type { VariableValue } from '@proofmark/contracts/variables';
import { createdAt, deletedAt, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { nameOfOwner } from './index-on.ts';
import { Repository } from './repository.ts';
import { tenantIsolation } from './tenant-policies.ts';

const PresetSchema = defineEntity({
  name: 'Preset',
  tableName: 'presets',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  indexes: [nameOfOwner('presets')],
  properties: {
    tenantId,
    id: id(),
    /** Whose project file it stands in; null: made through the API, for the whole tenant. */
    repository: () => partOf(Repository, 'repository_id').nullable(),
    name: text(),
    values: p.json<Record<string, VariableValue>>(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
    deletedAt: deletedAt(),
  },
});

/** A named set of variable values. */
export class Preset extends PresetSchema.class {}
PresetSchema.setClass(Preset);
