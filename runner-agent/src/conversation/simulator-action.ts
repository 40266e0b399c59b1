import { z } from 'zod';
import { isTooDeep } from '../models/json-depth.ts';

const Action = z.object({
  action: z.enum(['say', 'end']),
  message: z.string().nullish(),
  reason: z.enum(['goal_met', 'gave_up', 'blocked', 'out_of_scope']).nullish(),
});
type LeaveReason = NonNullable<z.infer<typeof Action>['reason']>;

/** What the simulated person does next. An end without a last word has the message null. */
export type SimulatorAction =
  | { kind: 'say'; message: string }
  | { kind: 'end'; message: string | null; reason: LeaveReason | null }
  | { kind: 'empty' };

/** The shape that every answer of the simulator has to have: there are no magic words in a text. */
export const actionSchema = {
  name: 'next_action',
  schema: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['say', 'end'] },
      message: { type: ['string', 'null'] },
      reason: { type: ['string', 'null'], enum: [null, 'goal_met', 'gave_up', 'blocked', 'out_of_scope'] },
    },
    required: ['action', 'message', 'reason'],
    additionalProperties: false,
  },
};

/** The action in a whole answer, or null when the answer is unusable. An empty answer is an empty message. */
export function parseSimulatorAction(text: string): SimulatorAction | null {
  if (text.trim() === '') return { kind: 'empty' };
  const parsed = Action.safeParse(parseJson(withoutFence(text)));
  if (!parsed.success) return null;
  const { action, message, reason } = parsed.data;
  const spoken = message?.trim() ? message : null;
  if (action === 'end') return { kind: 'end', message: spoken, reason: reason ?? null };
  return spoken === null ? { kind: 'empty' } : { kind: 'say', message: spoken };
}

/** Models without structured output like to wrap the whole answer. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}

function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Anything but JSON is unusable; why does not matter to anybody.
    return undefined;
  }
}
