import { expect, test } from 'vitest';
import { CronExpression } from './cron.ts';

const refusals = (text: string) =>
  CronExpression.safeParse(text).error?.issues.map(({ message }) => message.split(' ').slice(0, 3).join(' ')) ?? [];

test.for(['30 2 * * 1-5', '0 0 29 2 *', '0 0 29 2 +0', '0 0 31 * *', '0 0 31 2 1', '0 0 L 2 *', '0 0 * 2 +1#5'])(
  '%s comes some day',
  (text) => {
    expect(refusals(text)).toEqual([]);
  },
);

test.for(['* * 31 2,4,6,9,11 *', '0 0 30 2 *', '0 0 30 2 +1', '30 2 31W 2 *'])('%s never comes', (text) => {
  expect(refusals(text)).toEqual(['names a day']);
});

test.for(['', 'daily', '0 0 * *', '0 0 0 * * *', '60 0 * * *', '0 0 * * * 2026'])('"%s" is no expression', (text) => {
  expect(refusals(text)).toEqual(['must be five']);
});
