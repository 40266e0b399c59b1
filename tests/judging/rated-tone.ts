import type { Rule } from '../stack/model/rules.ts';
import type { ModelServer } from '../stack/model-server.ts';

/** A project whose suite rates the tone of its agent by steps that nobody has written. */
export const toneFiles = (): Record<string, string> => ({
  'proofmark.yaml':
    'ai_configurations:\n  desk: { provider: openai, model: agent-1 }\n  judge: { provider: openai, model: judge-1 }\n',
  'evals/tone.suite.yaml': `name: Tone
agent: { name: Desk, instructions: You help customers of a shop., ai_configuration: desk }
judge: { ai_configuration: judge }
evaluations: { metrics: [{ type: geval, name: tone, criteria: The agent is kind. }] }
repetitions: 3
cases:
  - { name: one, input: Where is my lamp? }
  - { name: two, input: Where is my chair? }
`,
});

/** The judge numbers the steps that it writes, so that being asked twice shows. */
export function toneRules(): Rule[] {
  let written = 0;
  const steps = (): string => {
    written += 1;
    return JSON.stringify({ steps: ['Read it.', `Rate it, way ${written}.`] });
  };
  return [
    { when: { model: 'judge-1', system: 'You write instructions' }, reply: steps },
    { when: { model: 'judge-1' }, reply: JSON.stringify({ reasoning: 'kind', score: 8, status: 'scored' }) },
    { when: { model: 'agent-1' }, reply: 'It is on its way, sorry!' },
  ];
}

/** How often the judge was asked for steps. */
export const timesWritten = ({ requests }: Pick<ModelServer, 'requests'>): number =>
  requests.filter(({ system }) => system.includes('You write instructions')).length;
