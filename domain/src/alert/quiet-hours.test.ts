import { isTimeZone } from '@proofmark/contracts/cron';
import { expect, test } from 'vitest';
import { sendAtMs } from './quiet-hours.ts';

const night = { from: '22:00', until: '07:30', timeZone: 'Europe/Berlin' };
const at = (text: string) => Date.parse(text);
const sent = (text: string, quiet: Parameters<typeof sendAtMs>[0] = night) =>
  new Date(sendAtMs(quiet, at(text))).toISOString();

test.for([
  // Berlin is one hour ahead in winter, two in summer.
  ['before them', '2026-01-15T20:59:59.000Z', '2026-01-15T20:59:59.000Z'],
  ['when they begin', '2026-01-15T21:00:00.000Z', '2026-01-16T06:30:00.000Z'],
  ['after midnight', '2026-01-16T03:00:00.000Z', '2026-01-16T06:30:00.000Z'],
  ['when they end', '2026-01-16T06:30:00.000Z', '2026-01-16T06:30:00.000Z'],
  ['in summer', '2026-07-15T20:30:00.000Z', '2026-07-16T05:30:00.000Z'],
  ['in the night in which the clocks go on', '2026-03-28T23:00:00.000Z', '2026-03-29T05:30:00.000Z'],
] as const)('an alert %s is sent when people are awake', ([, now, expected]) => {
  expect(sent(now)).toBe(expected);
});

test('without quiet hours, or with none between their ends, it is sent at once', () => {
  expect(sent('2026-01-15T23:00:00.000Z', null)).toBe('2026-01-15T23:00:00.000Z');
  expect(sent('2026-01-15T23:00:00.000Z', { ...night, until: '22:00' })).toBe('2026-01-15T23:00:00.000Z');
});

test('hours of one day hold up what comes between them', () => {
  const noon = { from: '12:00', until: '13:00', timeZone: 'UTC' };
  expect(sent('2026-01-15T12:30:00.000Z', noon)).toBe('2026-01-15T13:00:00.000Z');
  expect(sent('2026-01-15T13:30:00.000Z', noon)).toBe('2026-01-15T13:30:00.000Z');
});

test('time zones are those of the tz database', () => {
  expect(['UTC', 'Europe/Berlin', 'America/New_York'].every(isTimeZone)).toBe(true);
  expect(['', 'Mars/Olympus', 'Europe/Berlin; drop'].some(isTimeZone)).toBe(false);
});
