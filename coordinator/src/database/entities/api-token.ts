import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, partOf, tenantId, text, time } from './columns.ts';
import { Repository } from './repository.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { User } from './user.ts';

const ApiTokenSchema = defineEntity({
  name: 'ApiToken',
  tableName: 'api_tokens',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    { name: 'api_tokens_hash_idx', properties: ['tokenHash'] },
    { name: 'api_tokens_expires_idx', properties: ['expiresAt'] },
  ],
  properties: {
    tenantId,
    id: id(),
    name: text(),
    /** SHA-256 of the token; the token itself is stored nowhere. */
    tokenHash: text(),
    kind: p.enum(['api', 'run', 'session']),
    scopes: p.array().columnType('text[]').defaultRaw(`'{}'`),
    /** A token bound to a repository goes with it: without the binding it could do more than before. */
    repository: () => partOf(Repository, 'repository_id').nullable(),
    user: () => partOf(User, 'user_id'),
    /** The token that a browser was signed in with. No foreign key: whoever looks it up and finds nothing valid, opens nothing. */
    parentId: p.uuid().nullable(),
    claims: p.json<Record<string, unknown>>().nullable(),
    expiresAt: time().nullable(),
    revokedAt: time().nullable(),
    /** Set when it got a successor. */
    rotatedAt: time().nullable(),
    lastUsedAt: time().nullable(),
    createdAt: createdAt(),
  },
});

export class ApiToken extends ApiTokenSchema.class {}
ApiTokenSchema.setClass(ApiToken);
