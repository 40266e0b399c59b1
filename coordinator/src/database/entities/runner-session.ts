import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, id, text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const RunnerSessionSchema = defineEntity({
  name: 'RunnerSession',
  tableName: 'runner_sessions',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  indexes: [{ name: 'runner_sessions_open_idx', properties: ['pool'], where: `state = 'open'` }],
  properties: {
    id: id(),
    runnerId: text(),
    /** The first of its pools: all that is known of a runner that can serve only one. */
    pool: text(),
    pools: p.array().columnType('text[]').defaultRaw(`'{}'`),
    version: text(),
    slots: p.integer(),
    state: p.enum(['open', 'expired', 'closed']).default('open'),
    leaseUntil: time(),
    /** Test runs that it held and had not begun when it was last heard. */
    waiting: p.array().columnType('uuid[]').defaultRaw(`'{}'`),
    createdAt: createdAt(),
  },
});

/** One life of a runner process; it holds the lease for all its attempts. */
export class RunnerSession extends RunnerSessionSchema.class {}
RunnerSessionSchema.setClass(RunnerSession);
