import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, tenantId, text } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const BlobSchema = defineEntity({
  name: 'Blob',
  tableName: 'blobs',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  checks: [
    { name: 'blobs_digest_check', expression: `digest ~ '^[0-9a-f]{64}$'` },
    { name: 'blobs_size_check', expression: 'size_bytes = octet_length(content)' },
  ],
  properties: {
    tenantId,
    /** SHA-256 of the content, in hexadecimal digits. */
    digest: text().primary(),
    sizeBytes: p.integer(),
    content: p.blob(),
    createdAt: createdAt(),
  },
});

/** A file of a case, kept once for all runs that need it. */
export class Blob extends BlobSchema.class {}
BlobSchema.setClass(Blob);
