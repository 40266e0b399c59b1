import type { Suite } from '../flows/running-product.ts';
import type { Rule } from '../stack/model/rules.ts';

/** Two cases whose agents say one thing each, however often they are asked; without an address, that of the environment. */
export const hoursSuite = ({ url, repetitions }: { url?: string; repetitions: number }): Suite => ({
  suitePaths: ['evals/x.suite.yaml'],
  projectPath: 'proofmark.yaml',
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations:\n  judge: { provider: openai, model: judge-1${at(url)} }\n  vectors: { provider: openai, model: embed-1${at(url)} }\n`,
    },
    {
      path: 'evals/x.suite.yaml',
      text: `
name: Hours
agent:
  name: Desk
  instructions: You answer for a shop.
  driver: { type: scripted, replies: [{ contains: one, reply: "From 9 to 17." }, { reply: "From 9 to 12." }] }
judge: { ai_configuration: judge }
embedding: { ai_configuration: vectors }
repetitions: ${repetitions}
evaluations: { metrics: [{ metric: relevance }] }
cases:
${['one', 'two']
  .map(
    (name) => `  - name: ${name}
    input: When are you open? (${name})
    expected_behavior:
      checks:
        - { type: semantic_similarity, expected_answer: From 9 to 17., threshold: 0.1 }
        - { type: llm_judge, expected_answer: From 9 to 17. }
`,
  )
  .join('')}`,
    },
  ],
});

const at = (url: string | undefined): string => (url === undefined ? '' : `, base_url: "${url}"`);

export const hoursRules: Rule[] = [
  { when: { system: 'rate' }, reply: JSON.stringify({ reasoning: 'fine', score: 4, status: 'scored' }) },
  { reply: JSON.stringify({ reasoning: 'fine', passed: true }) },
];
