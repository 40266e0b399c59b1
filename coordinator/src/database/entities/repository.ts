import { defineEntity, p } from '@mikro-orm/core';
import type { Limits } from '@proofmark/contracts/project';
import type { PinnedClaim } from '@proofmark/contracts/words';
import { createdAt, id, tenantId, text, updatedAt } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const RepositorySchema = defineEntity({
  name: 'Repository',
  tableName: 'repositories',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [
    // Over all tenants: the first token of a repository arrives before anybody knows the tenant, and belongs to one.
    { name: 'repositories_one_tenant_key', properties: ['host', 'externalId'] },
    { name: 'repositories_external_key', properties: ['tenantId', 'host', 'externalId'] },
  ],
  properties: {
    tenantId,
    id: id(),
    host: text(),
    /** Numbers of the forge: they survive renames, names grant nothing. */
    externalId: text(),
    ownerExternalId: text(),
    fullName: text(),
    installationId: text().nullable(),
    defaultBranch: text().nullable(),
    /** Further branches whose runs others are compared with, as an admin named them. */
    baselineBranches: p.array().columnType('text[]').defaultRaw(`'{}'`),
    /** Limits of its project file; null: the usual ones. */
    limits: p.json<Limits>().nullable(),
    /** What the claims of a CI token must hold beside the ids; null: nothing more. */
    claimPins: p.json<Partial<Record<PinnedClaim, string>>>().nullable(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

export class Repository extends RepositorySchema.class {}
RepositorySchema.setClass(Repository);
