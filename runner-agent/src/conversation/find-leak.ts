import type { Persona } from '@proofmark/contracts/test-case';
import { simulatorTemplate } from './simulator-template.ts';

/** Shorter sentences may be what a person would say anyway. */
const tellingCharacters = 40;
const ownAction = /["'{]\s*action\s*["']?\s*:\s*["'](?:say|end)["']/;

export interface LeakCheck {
  persona: Persona | null;
  /** The person's first message; null while it writes that. */
  opener: string | null;
}

/** Why a message of the simulated person cannot have been meant for the agent, or undefined. */
export function findLeak(message: string, { persona, opener }: LeakCheck): string | undefined {
  if (opener !== null && message.trim() === opener.trim())
    return 'The simulated person repeated its first message word for word';
  if (ownAction.test(message)) return 'The simulated person wrote its own action into the message';
  const instructions = [
    ...simulatorTemplate.role,
    ...simulatorTemplate.rules,
    ...simulatorTemplate.output,
    persona?.instructions ?? '',
  ];
  const spoken = plain(message);
  const isLeaked = instructions.flatMap(sentences).some((sentence) => spoken.includes(sentence));
  return isLeaked ? 'The simulated person recited its instructions' : undefined;
}

function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n/)
    .map(plain)
    .filter((sentence) => sentence.length >= tellingCharacters);
}

function plain(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
