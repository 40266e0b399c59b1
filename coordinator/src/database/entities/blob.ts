import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, tenantId, text } from './columns.ts';
import { Run } from './run.ts';
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

const RunBlobSchema = defineEntity({
  name: 'RunBlob',
  tableName: 'run_blobs',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [{ name: 'run_blobs_digest_idx', properties: ['tenantId', 'blob'] }],
  properties: {
    tenantId,
    run: () =>
      p
        .manyToOne(Run)
        .ref()
        .primary()
        .joinColumns('tenant_id', 'run_id')
        .ownColumns('run_id')
        .updateRule('no action')
        .deleteRule('cascade'),
    /** It stays as long as a run needs it. */
    blob: () =>
      p
        .manyToOne(Blob)
        .ref()
        .primary()
        .joinColumns('tenant_id', 'digest')
        .ownColumns('digest')
        .updateRule('no action')
        .deleteRule('no action'),
  },
});

/** Which run needs which file. */
export class RunBlob extends RunBlobSchema.class {}
RunBlobSchema.setClass(RunBlob);
