import { defineEntity } from '@mikro-orm/core';
import { createdAt, id, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const DefinitionFileSchema = defineEntity({
  name: 'DefinitionFile',
  tableName: 'definition_files',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'definition_files_content_key', properties: ['tenantId', 'contentHash'] }],
  properties: {
    tenantId,
    id: id(),
    contentHash: text(),
    text: text(),
    createdAt: createdAt(),
  },
});

/** The text of a file that runs were made from, once per content. */
export class DefinitionFile extends DefinitionFileSchema.class {}
DefinitionFileSchema.setClass(DefinitionFile);
