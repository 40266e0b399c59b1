import { afterEach, expect, it } from 'vitest';
import { armChaos, armedChaos, chaosPoint } from './chaos.ts';

afterEach(() => {
  armChaos('');
});

it('does nothing at a point that is not armed', async () => {
  expect(armChaos('')).toBeNull();
  expect(armedChaos()).toEqual([]);
  await chaosPoint('after_run_commit');
});

it('acts on the pass that was named, once', async () => {
  expect(armChaos('after_run_commit:2:throw')).toBeNull();
  await chaosPoint('after_run_commit');
  await expect(chaosPoint('after_run_commit')).rejects.toThrow('chaos at after_run_commit');
  await chaosPoint('after_run_commit');
});

it('keeps several points apart', async () => {
  expect(armChaos('before_run_commit:1:throw,after_reap_commit:1:delay=1')).toBeNull();
  expect(armedChaos()).toEqual(['before_run_commit', 'after_reap_commit']);
  await chaosPoint('after_reap_commit');
  await expect(chaosPoint('before_run_commit')).rejects.toThrow('chaos');
});

it('can block the event loop, which a delay does not', async () => {
  armChaos('after_claim_commit_before_reply:1:block=30');
  const before = performance.now();
  await chaosPoint('after_claim_commit_before_reply');
  expect(performance.now() - before).toBeGreaterThanOrEqual(29);
});

it.each([
  ['before_lunch', '"before_lunch" is no kill point'],
  ['after_run_commit:0', '"0" in "after_run_commit:0" is not a count'],
  ['after_run_commit:1:explode', 'names no action'],
  ['after_run_commit:1:delay=soon', 'names no action'],
])('refuses %j and says why', (text, why) => {
  expect(armChaos(text)).toContain(why);
});
