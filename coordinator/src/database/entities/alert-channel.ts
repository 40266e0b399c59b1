import { defineEntity, p } from '@mikro-orm/core';
import { ChannelKind } from '@proofmark/contracts/alert-message';
import { AgentTestSuite } from './agent-test-suite.ts';
import { createdAt, id, partOf, tenantId, text, updatedAt } from './columns.ts';
import { indexOn } from './index-on.ts';
import { Repository } from './repository.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const AlertChannelSchema = defineEntity({
  name: 'AlertChannel',
  tableName: 'alert_channels',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'alert_channels_name_key', properties: ['tenantId', 'name'] }],
  indexes: [
    indexOn('alert_channels_suite_idx', 'alert_channels', ['suite_id']),
    indexOn('alert_channels_repository_idx', 'alert_channels', ['repository_id']),
  ],
  properties: {
    tenantId,
    id: id(),
    name: text(),
    kind: p.enum(ChannelKind.options),
    /** Null: all suites of the tenant. */
    suite: () => partOf(AgentTestSuite, 'suite_id').nullable(),
    /** Where issues are opened. */
    repository: () => partOf(Repository, 'repository_id').nullable(),
    /** Of mails. */
    recipients: p.array().columnType('text[]').defaultRaw(`'{}'`),
    /** The address of a webhook, which is a secret; and what of it may be shown. */
    sealedUrl: text().nullable(),
    shownUrl: text().nullable(),
    /** The kinds of alerts that it tells. */
    events: p.array().columnType('text[]'),
    quietFrom: text().nullable(),
    quietUntil: text().nullable(),
    timeZone: text().nullable(),
    isEnabled: p.boolean().default(true),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
});

/** A way by which people are told of alerts. */
export class AlertChannel extends AlertChannelSchema.class {}
AlertChannelSchema.setClass(AlertChannel);
