import type { TestCase } from '@proofmark/contracts/test-case';
import type { ChatMessage } from '../models/model-port.ts';
import { simulatorTemplate as template } from './simulator-template.ts';

/** One message of the conversation as both sides see it; tool calls are hidden from the simulated person. */
export interface Utterance {
  speaker: 'agent' | 'user';
  text: string;
}

export type SimulatedCase = Pick<TestCase, 'persona' | 'user_context'>;

/** Who the simulated person is and how it behaves: persona and context verbatim, then the rules. */
export function simulatorInstructions({ persona, user_context }: SimulatedCase): string {
  const person = persona
    ? `This person is of the type: ${persona.type}\nDescription: ${persona.description}\nHow this person behaves: ${persona.instructions}`
    : template.ordinaryPerson;
  const context =
    user_context === null
      ? template.nothingKnown
      : `What you know, as JSON. What is not in it you do not know:\n${JSON.stringify(user_context)}`;
  return [template.role, [person], [context], template.rules, template.output]
    .map((part) => part.join('\n'))
    .join('\n\n');
}

/**
 * The conversation from the person's side: its own words as `assistant`, the agent's as `user`. A neutral greeting stands
 * in for an agent that has not spoken first.
 */
export function simulatorMessages(
  testCase: SimulatedCase,
  said: readonly Utterance[],
  { isReminded }: { isReminded: boolean },
): ChatMessage[] {
  const history: readonly Utterance[] =
    said[0]?.speaker === 'agent' ? said : [{ speaker: 'agent', text: template.greeting }, ...said];
  return [
    { role: 'system', content: simulatorInstructions(testCase) },
    ...history.map(fromOtherSide),
    ...(isReminded ? [{ role: 'system', content: template.reminder } as const] : []),
  ];
}

function fromOtherSide({ speaker, text }: Utterance): ChatMessage {
  if (speaker === 'user') return { role: 'assistant', content: text };
  return { role: 'user', content: text.trim() === '' ? template.silence : text };
}
