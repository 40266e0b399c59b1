import type { ConversationFacts } from '@proofmark/contracts/case-outcome';

/**
 * What a person has to know of how a simulated user was played: tries that were thrown away and paid for, and faults that
 * a review has found, with what would have been right. Empty for a conversation that went as it should.
 */
export function describeSimulation({ discardedTries, review = [] }: ConversationFacts): string[] {
  const times = discardedTries.length === 1 ? 'once' : `${discardedTries.length} times`;
  const over = discardedTries.length === 0 ? [] : [`started over ${times}: ${discardedTries.join('; ')}`];
  const faults = review.map(
    ({ message, kind, isCritical, explanation, correctBehavior }) =>
      `message ${message}, ${kind.replaceAll('_', ' ')}${isCritical ? ' (critical)' : ''}: ${explanation} Right would be: ${correctBehavior}`,
  );
  return [...over, ...faults].map((note) => `simulated user: ${note}`);
}
