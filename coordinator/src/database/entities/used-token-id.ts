import { defineEntity } from '@mikro-orm/core';
import { text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const UsedTokenIdSchema = defineEntity({
  name: 'UsedTokenId',
  tableName: 'used_token_ids',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  indexes: [{ name: 'used_token_ids_expires_idx', properties: ['expiresAt'] }],
  properties: {
    jti: text().primary(),
    expiresAt: time(),
  },
});

/** An OIDC token that was exchanged: it works once. */
export class UsedTokenId extends UsedTokenIdSchema.class {}
UsedTokenIdSchema.setClass(UsedTokenId);
