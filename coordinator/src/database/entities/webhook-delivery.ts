import { defineEntity, p } from '@mikro-orm/core';
import { count, text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  indexes: [
    { name: 'webhook_deliveries_received_idx', properties: ['receivedAt'] },
    { name: 'webhook_deliveries_due_idx', properties: ['nextTryAt'], where: `state = 'due'` },
  ],
  properties: {
    deliveryId: text().primary(),
    receivedAt: time().defaultRaw('now()'),
    /** Null together with the payload where nothing is to be done. */
    event: text().nullable(),
    payload: p.json<unknown>().nullable(),
    state: p.enum(['due', 'done', 'parked']).default('done'),
    tries: count(),
    nextTryAt: time().defaultRaw('now()'),
    /** Why it was parked. */
    reason: text().nullable(),
  },
});

/** A delivery of the forge that was accepted, and acted on when its turn comes: a replay has no second effect. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery);
