import { expect, it } from 'vitest';
import { waitUntil } from './wait-until.ts';

it('returns the first answer that is neither undefined, null nor false', async () => {
  const answers = [undefined, null, false, 0];
  expect(await waitUntil(() => answers.shift(), { what: 'an answer comes', everyMs: 1 })).toBe(0);
});

it('forgives a probe that throws at first', async () => {
  let tries = 0;
  const probe = () => {
    tries += 1;
    if (tries < 3) throw new Error('refused');
    return tries;
  };
  expect(await waitUntil(probe, { what: 'the server is up', everyMs: 1 })).toBe(3);
});

it('says what it waited for, with the detail and the last failure', async () => {
  const probe = () => {
    throw new Error('refused');
  };
  const waiting = waitUntil(probe, {
    what: 'the server is up',
    timeoutMs: 5,
    everyMs: 1,
    detail: () => 'log: nothing',
  });
  await expect(waiting).rejects.toMatchObject({
    message: 'Waited 5 ms until the server is up.\nlog: nothing',
    cause: { message: 'refused' },
  });
});
