import { effectiveSetting, type StoredSettings } from './effective-setting.ts';
import type { SettingVariables } from './known-settings.ts';

export interface RetentionSettings {
  /** HH:MM, UTC. */
  cleanupTime: string;
  keepDays: number;
  keepRuns: number;
  /** What was passed over, in sentences. */
  warnings: string[];
}

/** What a tenant wants to keep, and when the rest is removed. */
export function retentionSettings(stored: StoredSettings, variables: SettingVariables): RetentionSettings {
  const given = { stored, variables };
  const time = effectiveSetting('test_suites.retention_cleanup_time', given);
  const days = effectiveSetting('test_suites.retention_days', given);
  const runs = effectiveSetting('test_suites.retention_runs', given);
  return {
    cleanupTime: time.value,
    keepDays: Number(days.value),
    keepRuns: Number(runs.value),
    warnings: [time, days, runs].flatMap(({ warning }) => warning ?? []),
  };
}
