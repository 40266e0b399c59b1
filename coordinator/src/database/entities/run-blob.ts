import { defineEntity, p } from '@mikro-orm/core';
import { Blob } from './blob.ts';
import { tenantId } from './columns.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

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
