import type { Chaos } from '@proofmark/process/chaos';
import { pause } from '@proofmark/process/pause';
import type { ModelPort } from '../models/model-port.ts';

/** Where a runner may be made to fail. */
export const runnerChaosPoints = [
  'after_claim_before_ack',
  'before_model_call',
  'mid_model_call',
  'after_answer_before_publish',
  'after_publish_before_confirm',
  'on_heartbeat',
] as const;
export type RunnerChaos = Chaos<(typeof runnerChaosPoints)[number]>;

/** Long enough that the request has left. The answer is held back until then, so the call is still in its middle. */
const midCallMs = 250;

/** The same models with the kill points around every call; the models themselves when none of these points is armed. */
export function withChaos(models: ModelPort, chaos: RunnerChaos): ModelPort {
  if (!chaos.isArmed('before_model_call') && !chaos.isArmed('mid_model_call')) return models;
  const around = async <T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    await chaos.at('before_model_call');
    const answer = call();
    await Promise.all([answer, pause(midCallMs, signal).then(() => chaos.at('mid_model_call'))]);
    return answer;
  };
  return {
    chat: (settings, request, signal) => around(() => models.chat(settings, request, signal), signal),
    embed: (settings, inputs, signal) => around(() => models.embed(settings, inputs, signal), signal),
  };
}
