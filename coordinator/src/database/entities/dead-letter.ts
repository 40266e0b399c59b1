import { defineEntity } from '@mikro-orm/core';
import { createdAt, id, text } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const DeadLetterSchema = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  indexes: [{ name: 'dead_letters_created_at_idx', properties: ['createdAt'] }],
  properties: {
    id: id(),
    subject: text(),
    reason: text(),
    /** The first 64 KB. */
    payload: text(),
    createdAt: createdAt(),
  },
});

/** A message of the broker that nobody can process. */
export class DeadLetter extends DeadLetterSchema.class {}
DeadLetterSchema.setClass(DeadLetter);
