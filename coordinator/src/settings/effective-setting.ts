import { knownSettings, type SettingKey, type SettingVariables } from './known-settings.ts';

export interface EffectiveSetting {
  key: SettingKey;
  value: string;
  source: 'stored' | 'environment' | 'default';
  description: string;
  /** What was passed over because it is no value of this setting; null when nothing was. */
  warning: string | null;
}

/** Stored values by their key. */
export type StoredSettings = Readonly<Partial<Record<string, string>>>;

/**
 * The value that counts: the stored one, else that of the environment, else the default. What is no value of the setting
 * is passed over with a warning, so that a slip of the pen never means "keep nothing".
 */
export function effectiveSetting(
  key: SettingKey,
  { stored, variables }: { stored: StoredSettings; variables: SettingVariables },
): EffectiveSetting {
  const { variable, fallback, value: form, description } = knownSettings[key];
  const candidates = [
    { source: 'stored', name: `The stored setting ${key}`, text: Object.hasOwn(stored, key) ? stored[key] : undefined },
    { source: 'environment', name: variable, text: variables[variable] },
    { source: 'default', name: 'The default', text: fallback },
  ] as const;
  const given = candidates.flatMap(({ text, ...rest }) => (text === undefined ? [] : [{ ...rest, text }]));
  const isValue = ({ text }: { text: string }) => form.safeParse(text).success;
  const chosen = given.find(isValue) ?? { source: 'default', text: fallback };
  const passedOver = given.slice(0, given.findIndex(isValue));
  const warnings = passedOver.map(({ name, text }) => {
    const [issue] = form.safeParse(text).error?.issues ?? [];
    return `${name} is ${JSON.stringify(text.slice(0, 50))}: ${issue?.message ?? 'no value of this setting'}`;
  });
  const warning = warnings.length === 0 ? null : `${warnings.join('. ')}. ${chosen.text} counts instead`;
  return { key, value: chosen.text, source: chosen.source, description, warning };
}

/** All settings in the order of their keys. */
export const effectiveSettings = (given: Parameters<typeof effectiveSetting>[1]): EffectiveSetting[] =>
  (Object.keys(knownSettings) as SettingKey[]).map((key) => effectiveSetting(key, given)); // keys() forgets their type

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
