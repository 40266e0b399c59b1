import { defineEntity, p } from '@mikro-orm/core';
import type { VariableValue } from '@proofmark/contracts/variables';
import { createdAt, deletedAt, id, tenantId, text, updatedAt } from './columns.ts';
import { tenantIsolation } from './tenant-policies.ts';

const PresetSchema = defineEntity({
  name: 'Preset',
  tableName: 'presets',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation],
  uniques: [{ name: 'presets_name_key', properties: ['tenantId', 'name'], where: 'deleted_at is null' }],
  properties: {
    tenantId,
    id: id(),
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
