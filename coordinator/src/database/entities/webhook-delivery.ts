import { defineEntity } from '@mikro-orm/core';
import { text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  indexes: [{ name: 'webhook_deliveries_received_idx', properties: ['receivedAt'] }],
  properties: {
    deliveryId: text().primary(),
    receivedAt: time().defaultRaw('now()'),
  },
});

/** A delivery of the forge that was accepted: a replay has no second effect. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}
WebhookDeliverySchema.setClass(WebhookDelivery);
