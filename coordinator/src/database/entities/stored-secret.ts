import { defineEntity } from '@mikro-orm/core';
import { createdAt, text } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const StoredSecretSchema = defineEntity({
  name: 'StoredSecret',
  tableName: 'stored_secrets',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  properties: {
    name: text().primary(),
    value: text(),
    createdAt: createdAt(),
  },
});

/** What a coordinator signs with when its operator has given it no secret: random, and the same for every replica. */
export class StoredSecret extends StoredSecretSchema.class {}
StoredSecretSchema.setClass(StoredSecret);
