import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, tenantId, text, time } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'users_login_key', properties: ['tenantId', 'login'] }],
  indexes: [
    {
      name: 'users_external_key',
      expression: `create unique index "users_external_key" on "users" ("tenant_id", "external_id") where external_id is not null`,
    },
  ],
  properties: {
    tenantId,
    id: id(),
    login: text(),
    displayName: text().nullable(),
    kind: p.enum(['person', 'service']).default('person'),
    /** Bounds what tokens and sessions of theirs may do. */
    role: text().default('ci'),
    /** What an OpenID provider knows them by: its issuer and subject. */
    externalId: text().nullable(),
    /** Since then nothing of theirs opens anything. */
    disabledAt: time().nullable(),
    createdAt: createdAt(),
  },
});

/** Who starts runs. A CI job or a token without a person acts as a service (C19). */
export class User extends UserSchema.class {}
UserSchema.setClass(User);
