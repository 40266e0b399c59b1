import { defineEntity } from '@mikro-orm/core';
import { createdAt, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const InstallationOwnerSchema = defineEntity({
  name: 'InstallationOwner',
  tableName: 'installations',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  // Over all tenants: it belongs to one.
  uniques: [{ name: 'installations_one_tenant_key', properties: ['host', 'externalId'] }],
  properties: {
    tenantId,
    host: text().primary(),
    /** Its number on the forge. */
    externalId: text().primary(),
    createdAt: createdAt(),
  },
});

/** The one tenant that an installation of the App belongs to: a job inside of it has shown that it is his. */
export class InstallationOwner extends InstallationOwnerSchema.class {}
InstallationOwnerSchema.setClass(InstallationOwner);
