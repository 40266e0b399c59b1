import { defineEntity, p } from '@mikro-orm/core';
import { forWorker, ownTenant } from './tenant-policies.ts';

const TenantSchema = defineEntity({
  name: 'Tenant',
  tableName: 'tenants',
  rowLevelSecurity: 'force',
  policies: [ownTenant, forWorker],
  uniques: [{ name: 'tenants_name_key', properties: ['name'] }],
  properties: {
    id: p.uuid().primary().defaultRaw('gen_random_uuid()'),
    name: p.text(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('now()'),
  },
});

/** One customer of the coordinator. */
export class Tenant extends TenantSchema.class {}
TenantSchema.setClass(Tenant);
