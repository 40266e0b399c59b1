import { defineEntity, p } from '@mikro-orm/core';
import { tenantId, text, time } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const RateBucketSchema = defineEntity({
  name: 'RateBucket',
  tableName: 'rate_buckets',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    /** Endpoint and model. */
    key: text().primary(),
    /** Calls per second at the moment: less than the limit after the provider has complained. */
    rate: p.double(),
    burst: p.double(),
    /** Below 0: so many calls have their turn already, and it is still to come. */
    tokens: p.double(),
    updatedAt: time(),
    pausedUntil: time().nullable(),
  },
});

/** What is left of the limit of one model, for all runners together. */
export class RateBucket extends RateBucketSchema.class {}
RateBucketSchema.setClass(RateBucket);
