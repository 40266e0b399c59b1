import type { PolicyDef } from '@mikro-orm/core';

// After a commit the setting is '' and not null, and '' is no uuid.
const current = `nullif(current_setting('app.tenant_id', true), '')::uuid`;
const owned = `tenant_id = ${current}`;
const appRole = 'proofmark_app';
const workerRole = 'proofmark_worker';

/** Requests see the rows of their own tenant only. The loops work for all tenants and have no rule of their own here. */
export const tenantIsolation: PolicyDef = { name: 'tenant_isolation', roles: [appRole], using: owned, check: owned };

/** A tenant sees itself. */
export const ownTenant: PolicyDef = {
  name: 'tenant_isolation',
  roles: [appRole],
  using: `id = ${current}`,
  check: `id = ${current}`,
};

/** The loops see every row; what they may do with it is a matter of grants. */
export const forWorker: PolicyDef = { name: 'worker', roles: [workerRole], using: 'true', check: 'true' };
