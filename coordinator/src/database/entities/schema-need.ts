import { defineEntity } from '@mikro-orm/core';
import { text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const SchemaNeedSchema = defineEntity({
  name: 'SchemaNeed',
  tableName: 'schema_needs',
  rowLevelSecurity: 'force',
  policies: [forWorker, { name: 'owner', roles: ['proofmark_owner'], using: 'true', check: 'true' }],
  properties: {
    /** A step of the schema. */
    name: text().primary(),
    notedAt: time().defaultRaw('now()'),
  },
});

/** A step that a coordinator has to know to work with this schema: older ones would look for what is gone. */
export class SchemaNeed extends SchemaNeedSchema.class {}
SchemaNeedSchema.setClass(SchemaNeed);
