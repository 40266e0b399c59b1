import { expect, test } from 'vitest';
import { Chaos, parseChaos } from './chaos.ts';

test('a plan names points, passes and actions; kill at the first pass is the default', () => {
  expect(parseChaos('on_heartbeat, before_model_call:3:delay=20,mid_model_call:1:throw')).toEqual({
    ok: true,
    plan: [
      { point: 'on_heartbeat', nth: 1, action: 'kill', ms: 0 },
      { point: 'before_model_call', nth: 3, action: 'delay', ms: 20 },
      { point: 'mid_model_call', nth: 1, action: 'throw', ms: 0 },
    ],
  });
});

test.each(['after_run_commit', 'on_heartbeat:0', 'on_heartbeat:1:explode', 'on_heartbeat:1:delay'])(
  '%s is refused',
  (text) => {
    expect(parseChaos(text)).toMatchObject({ ok: false });
  },
);

test('the action happens at the named pass only', async () => {
  const chaos = new Chaos([{ point: 'on_heartbeat', nth: 2, action: 'throw', ms: 0 }]);
  await chaos.at('on_heartbeat');
  await expect(chaos.at('on_heartbeat')).rejects.toThrow('chaos at on_heartbeat');
  await chaos.at('on_heartbeat');
  await chaos.at('before_model_call');
});
