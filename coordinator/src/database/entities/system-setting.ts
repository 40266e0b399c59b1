import { defineEntity } from '@mikro-orm/core';
import { tenantId, text, updatedAt } from './columns.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';

const SystemSettingSchema = defineEntity({
  name: 'SystemSetting',
  tableName: 'system_settings',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  properties: {
    tenantId,
    key: text().primary(),
    value: text(),
    updatedAt: updatedAt(),
  },
});

/** A stored setting, such as `test_suites.retention_days`; it wins over the environment. */
export class SystemSetting extends SystemSettingSchema.class {}
SystemSettingSchema.setClass(SystemSetting);
