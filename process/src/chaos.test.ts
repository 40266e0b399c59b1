import { expect, test } from 'vitest';
import { Chaos, chaosPlan } from './chaos.ts';

const variable = chaosPlan([
  ...(['before_run_commit', 'after_run_commit', 'after_claim_commit_before_reply', 'after_reap_commit'] as const),
  ...(['before_model_call', 'mid_model_call', 'on_heartbeat'] as const),
]);
const armed = (text: string) => new Chaos(variable.parse(text));

test('does nothing at a point that is not armed', async () => {
  const chaos = armed('');
  expect(chaos.points).toEqual([]);
  await chaos.at('after_run_commit');
});

test('a plan names points, passes and actions; kill at the first pass is the default', () => {
  expect(variable.parse('on_heartbeat, before_model_call:3:delay=20,mid_model_call:1:throw')).toEqual([
    { point: 'on_heartbeat', nth: 1, action: 'kill', ms: 0 },
    { point: 'before_model_call', nth: 3, action: 'delay', ms: 20 },
    { point: 'mid_model_call', nth: 1, action: 'throw', ms: 0 },
  ]);
  expect(variable.parse(undefined)).toEqual([]);
});

test('the action happens at the named pass, once', async () => {
  const chaos = armed('after_run_commit:2:throw');
  await chaos.at('after_run_commit');
  await expect(chaos.at('after_run_commit')).rejects.toThrow('chaos at after_run_commit');
  await chaos.at('after_run_commit');
  await chaos.at('before_model_call');
});

test('several points are kept apart, and one may act on several passes', async () => {
  const chaos = armed('before_run_commit:1:throw,after_reap_commit:1:delay=1,before_run_commit:2:delay=1');
  expect(chaos.points).toEqual(['before_run_commit', 'after_reap_commit']);
  await chaos.at('after_reap_commit');
  await expect(chaos.at('before_run_commit')).rejects.toThrow('chaos');
  await chaos.at('before_run_commit');
});

test('it can block the event loop, which a delay does not', async () => {
  const chaos = armed('after_claim_commit_before_reply:1:block=30');
  const before = performance.now();
  await chaos.at('after_claim_commit_before_reply');
  expect(performance.now() - before).toBeGreaterThanOrEqual(29);
});

test.each([
  ['before_lunch', '"before_lunch" is no kill point'],
  ['after_run_commit:0', '"0" in "after_run_commit:0" is not a count'],
  ['after_run_commit:1:explode', 'names no action'],
  ['after_run_commit:1:delay', 'names no action'],
  ['after_run_commit:1:delay=soon', 'names no action'],
])('refuses %j and says why', (text, why) => {
  expect(variable.safeParse(text).error?.issues[0]?.message).toContain(why);
});
