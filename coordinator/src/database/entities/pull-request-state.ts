import { defineEntity, p } from '@mikro-orm/core';
import { count, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { Repository } from './repository.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const PullRequestStateSchema = defineEntity({
  name: 'PullRequestState',
  tableName: 'pull_request_states',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'pull_request_states_number_key', properties: ['tenantId', 'repository', 'number'] }],
  properties: {
    tenantId,
    id: id(),
    repository: () => partOf(Repository, 'repository_id'),
    number: p.integer(),
    headSha: text(),
    /** Grows with every newer head; runs of an older one are superseded. */
    generation: count(),
    updatedAt: updatedAt(),
  },
});

export class PullRequestState extends PullRequestStateSchema.class {}
PullRequestStateSchema.setClass(PullRequestState);
