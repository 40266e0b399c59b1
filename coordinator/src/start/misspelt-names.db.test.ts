import { expect, it } from 'vitest';
import { anInput, openStory, portsOf } from '../story.fixture.ts';
import { startRun } from './start-run.ts';

const { ledger, tenant } = await openStory();

const path = 'evals/support.suite.yaml';
const files = [
  {
    path: 'proofmark.yaml',
    text: `
ai_configurations: { gpt-4o: { provider: openai, model: gpt-4o }, local-llama: { provider: openai, model: llama } }
presets: { careful: { Temperature: 0 } }
`,
  },
  {
    path,
    text: `
name: Support
agent: { name: Desk, instructions: Be kind., ai_configuration: gpt-4o }
cases:
  - { name: Business hours, tags: [smoke, slow], input: Go, expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] } }
`,
  },
];

type Given = NonNullable<Parameters<typeof anInput>[0]>;

const problemsOf = async (given: Given) => {
  const answer = await startRun(
    portsOf(ledger),
    tenant.caller,
    anInput({ files, suitePaths: [path], projectPath: 'proofmark.yaml', ...given }),
  );
  if (answer.ok) return answer.warnings;
  return 'problems' in answer.error ? answer.error.problems : [];
};

it.each<[what: string, given: Given, path: string, hint: string]>([
  ['variable', { variables: { Temprature: 1 } }, 'variables.Temprature', "Did you mean 'Temperature'?"],
  [
    'variable as text',
    { assignments: [{ name: 'MaxToken', text: '9' }] },
    'variables.MaxToken',
    "Did you mean 'MaxTokens'?",
  ],
  [
    'matrix axis',
    { matrix: [{ name: 'AiConfigurations', values: ['gpt-4o'] }] },
    'matrix.AiConfigurations',
    "Did you mean 'AIConfiguration'?",
  ],
  [
    'AI configuration',
    { variables: { AIConfiguration: 'local-lama' } },
    'variables.AIConfiguration',
    "Did you mean 'local-llama'?",
  ],
  [
    'AI configuration in a matrix',
    { matrix: [{ name: 'AIConfiguration', values: ['gpt-4o', 'gpt-4'] }] },
    'matrix.AIConfiguration',
    "Did you mean 'gpt-4o'?",
  ],
  ['preset', { preset: 'carefull' }, 'preset', "Did you mean 'careful'?"],
  ['preset that resembles none', { preset: 'fast' }, 'preset', 'There are: careful.'],
  ['case', { selection: { cases: ['Busines hours'] } }, 'cases', "Did you mean 'Business hours'?"],
  ['tag', { selection: { tags: ['smok'] } }, 'tags', "Did you mean 'smoke'?"],
  ['tag beside one that exists', { selection: { tags: ['slow', 'smok'] } }, 'tags', "Did you mean 'smoke'?"],
  ['suite', { selection: { suites: ['Suport'] } }, 'selection.suites', "Did you mean 'Support'?"],
  ['unaffected suite', { selection: { unaffected: ['suport'] } }, 'selection.unaffected', "Did you mean 'Support'?"],
])('a misspelt %s is answered with the name that was meant (S4-85)', async (_what, given, place, hint) => {
  expect(await problemsOf(given)).toEqual(expect.arrayContaining([expect.objectContaining({ path: place, hint })]));
});

it.each([
  ['test type', 'test_type: agent-evl', 'agent-eval'],
  ['AI configuration of the judge', 'judge: { ai_configuration: gpt4o }', 'gpt-4o'],
  ['variable of the suite', 'variables: { Temprature: 0 }', 'Temperature'],
  ['axis of its matrix', 'matrix: { Temprature: [0, 1] }', 'Temperature'],
  ['value of its matrix', 'matrix: { AIConfiguration: [local-lama, gpt-4o] }', 'local-llama'],
])('a misspelt %s in a file is, too (S4-85)', async (_what, line, meant) => {
  const [project, suite] = files;
  const broken = { path, text: `${suite?.text}${line}\n` };
  const problems = await problemsOf({ files: [project ?? broken, broken] });
  expect(problems.map(({ message, hint }) => `${message} ${hint}`).join('\n')).toContain(`did you mean \`${meant}\`?`);
});
