import { describe, expect, test } from 'vitest';
import { effectiveSetting, effectiveSettings } from './effective-setting.ts';

const none = {
  TEST_SUITES_RETENTION_CLEANUP_TIME: undefined,
  TEST_SUITES_RETENTION_DAYS: undefined,
  TEST_SUITES_RETENTION_RUNS: undefined,
};
const days = 'test_suites.retention_days';

describe('the value of a setting that counts', () => {
  test('S2-97 S2-99 S2-101 is the default where nothing is given', () => {
    expect(effectiveSettings({ stored: {}, variables: none })).toMatchObject([
      { key: 'test_suites.retention_cleanup_time', value: '02:00', source: 'default', warning: null },
      { key: 'test_suites.retention_days', value: '30', source: 'default', warning: null },
      { key: 'test_suites.retention_runs', value: '30', source: 'default', warning: null },
    ]);
  });

  test('S2-98 S2-100 S2-102 is that of the environment where nothing is stored', () => {
    const variables = {
      TEST_SUITES_RETENTION_CLEANUP_TIME: '23:15',
      TEST_SUITES_RETENTION_DAYS: '7',
      TEST_SUITES_RETENTION_RUNS: '5',
    };
    expect(effectiveSettings({ stored: {}, variables })).toMatchObject([
      { value: '23:15', source: 'environment' },
      { value: '7', source: 'environment' },
      { value: '5', source: 'environment' },
    ]);
  });

  test('S2-103 is the stored one before all others', () => {
    const variables = { ...none, TEST_SUITES_RETENTION_DAYS: '7' };
    expect(effectiveSetting(days, { stored: { [days]: '90' }, variables })).toMatchObject({
      value: '90',
      source: 'stored',
      warning: null,
    });
  });

  test.each(['abc', '-1', '0', '1e3', '30.5', '', ' 30', '99999999'])(
    'S2-104 is the default, with a warning, where the environment says %j',
    (text) => {
      const setting = effectiveSetting(days, { stored: {}, variables: { ...none, TEST_SUITES_RETENTION_DAYS: text } });
      expect(setting).toMatchObject({ value: '30', source: 'default' });
      expect(setting.warning).toContain('TEST_SUITES_RETENTION_DAYS is');
    },
  );

  test('S2-104 is that of the environment where the stored one is no value', () => {
    const variables = { ...none, TEST_SUITES_RETENTION_DAYS: '7' };
    const setting = effectiveSetting(days, { stored: { [days]: 'all' }, variables });
    expect(setting).toMatchObject({ value: '7', source: 'environment' });
    expect(setting.warning).toBe(
      'The stored setting test_suites.retention_days is "all": must be a whole number from 1 to 36500. 7 counts instead',
    );
  });
});
