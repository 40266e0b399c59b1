import { z } from 'zod';

const count = (most: number) =>
  z
    .string()
    .regex(/^\d{1,7}$/, `must be a whole number from 1 to ${most}`)
    // Nothing at all would be kept with 0: that is never what somebody means by a number of days or runs.
    .refine((text) => Number(text) >= 1 && Number(text) <= most, `must be a whole number from 1 to ${most}`);

/** What a tenant can set, and what stands in for a value that is not stored. Values are texts; each has one form. */
export const knownSettings = {
  'test_suites.retention_cleanup_time': {
    variable: 'TEST_SUITES_RETENTION_CLEANUP_TIME',
    fallback: '02:00',
    value: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day in UTC such as 02:00'),
    description: 'When old suite runs are removed, every day, UTC.',
  },
  'test_suites.retention_days': {
    variable: 'TEST_SUITES_RETENTION_DAYS',
    fallback: '30',
    value: count(36_500),
    description: 'Suite runs that ended within this many days stay.',
  },
  'test_suites.retention_runs': {
    variable: 'TEST_SUITES_RETENTION_RUNS',
    fallback: '30',
    value: count(1_000_000),
    description: 'This many newest runs of every suite stay, however old they are.',
  },
} as const;

export type SettingKey = keyof typeof knownSettings;

export const SettingKey = z.enum(Object.keys(knownSettings) as [SettingKey, ...SettingKey[]]); // keys() forgets their type

/** The values that the environment has for them; undefined where it has none. */
export type SettingVariables = Readonly<
  Partial<Record<(typeof knownSettings)[SettingKey]['variable'], string | undefined>>
>;
