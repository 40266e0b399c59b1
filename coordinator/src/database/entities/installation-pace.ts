import { defineEntity } from '@mikro-orm/core';
import { text, time } from './columns.ts';
import { forWorker } from './tenant-policies.ts';

const InstallationPaceSchema = defineEntity({
  name: 'InstallationPace',
  tableName: 'installation_pace',
  rowLevelSecurity: 'force',
  policies: [forWorker],
  properties: {
    /** Host and installation. */
    key: text().primary(),
    nextWriteAt: time().defaultRaw('now()'),
  },
});

/** When an installation may be written to again, over all replicas. */
export class InstallationPace extends InstallationPaceSchema.class {}
InstallationPaceSchema.setClass(InstallationPace);
