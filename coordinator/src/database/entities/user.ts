import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'users_login_key', properties: ['tenantId', 'login'] }],
  properties: {
    tenantId,
    id: id(),
    login: text(),
    displayName: text().nullable(),
    kind: p.enum(['person', 'service']).default('person'),
    createdAt: createdAt(),
  },
});

/** Who starts runs. A CI job or a token without a person acts as a service (C19). */
export class User extends UserSchema.class {}
UserSchema.setClass(User);
