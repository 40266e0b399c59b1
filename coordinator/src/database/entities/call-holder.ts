import { defineEntity, p } from '@mikro-orm/core';
import { tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const CallHolderSchema = defineEntity({
  name: 'CallHolder',
  tableName: 'call_holders',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    /** Endpoint and model. */
    key: text().primary(),
    /** Not a foreign key: a session that has ended holds nothing, and its row goes when somebody clears up. */
    sessionId: p.uuid().primary(),
    /** Calls that it may have under way. */
    held: p.integer(),
    /** Calls that it would have under way if it could. */
    wants: p.integer(),
  },
});

/** What a runner has of the limit on calls to one model under way. */
export class CallHolder extends CallHolderSchema.class {}
CallHolderSchema.setClass(CallHolder);
