import { defineEntity } from '@mikro-orm/core';
import { id, partOf, tenantId, text } from './columns.ts';
import { Run } from './run.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const RunFileSchema = defineEntity({
  name: 'RunFile',
  tableName: 'run_files',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'run_files_path_key', properties: ['tenantId', 'run', 'path'] }],
  indexes: [{ name: 'run_files_content_idx', properties: ['tenantId', 'contentHash'] }],
  properties: {
    tenantId,
    id: id(),
    run: () => partOf(Run, 'run_id'),
    path: text(),
    contentHash: text(),
  },
});

/** Which file of the repository had which content in a run. */
export class RunFile extends RunFileSchema.class {}
RunFileSchema.setClass(RunFile);
