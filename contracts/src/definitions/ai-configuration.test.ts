import { expect, test } from 'vitest';
import { loadFiles, okCase, problemsOf } from '../load/sample-files.fixture.ts';

const projectOf = (configuration: string): string => `ai_configurations:\n  mine: ${configuration}\n`;
const suite = `name: S\nagent: { name: a, instructions: x, ai_configuration: mine }\ncases:\n${okCase}\n`;
const told = (configuration: string): string[] =>
  problemsOf(suite, { 'proofmark.yaml': projectOf(configuration) }).map(
    ({ severity, line, code, path, message }) => `${severity} ${line} ${code} ${path}: ${message}`,
  );

test('a misspelt provider is refused with the known ones and the nearest', () => {
  expect(told('{ provider: opneai, model: m }')).toEqual([
    'error 2 invalid_enum ai_configurations.mine.provider: must be one of openai, azure_openai, azure, anthropic, google, mistral, groq, openrouter, ollama, openai_compatible; did you mean `openai`?',
  ]);
});

test.each(['azure_openai', 'azure', 'openai_compatible'])('%s has no address of its own', (provider) => {
  expect(told(`{ provider: ${provider}, model: m }`)).toEqual([
    `error 2 required ai_configurations.mine.base_url: \`base_url\` is missing: the provider \`${provider}\` has no address of its own`,
  ]);
  expect(told(`{ provider: ${provider}, model: m, base_url: "https://example.org/v1" }`)).toEqual([]);
});

test.each(['openai', 'anthropic', 'google', 'mistral', 'groq', 'openrouter', 'ollama'])(
  '%s needs a model only',
  (provider) => {
    expect(told(`{ provider: ${provider}, model: m }`)).toEqual([]);
  },
);

test('a model that is written where it is used is checked in the same way, and what reaches no call is said', () => {
  const text = `name: S\nagent:\n  name: a\n  instructions: x\n  model: { provider: azure_openai, name: m, top_p: 1 }\nevaluations: { model: { provider: olama, name: m }, metrics: [{ metric: bleu }] }\ncases:\n  - { name: a, input: hi, ground_truth: x }\n`;
  expect(problemsOf(text).map(({ severity, code, path }) => `${severity} ${code} ${path}`)).toEqual([
    'error required agent.model.base_url',
    'warning unknown_field agent.model.top_p',
    'error invalid_enum evaluations.model.provider',
  ]);
});

test('a judge of a provider without embeddings embeds nothing, so the suite must name who does', () => {
  const withJudge = (provider: string): string[] =>
    loadFiles({
      'proofmark.yaml': projectOf(`{ provider: ${provider}, model: m }`),
      's.suite.yaml': `name: S\nagent: { name: a, instructions: x, ai_configuration: mine }\njudge: { ai_configuration: mine }\ncases:\n  - name: a\n    input: hi\n    expected_behavior: { checks: [{ type: semantic_similarity, expected_answer: x, threshold: 0.8 }] }\n`,
    }).problems.map(({ message }) => message);
  expect(withJudge('anthropic')).toEqual(['a `semantic_similarity` check needs a model']);
  expect(withJudge('mistral')).toEqual([]);
});

test('fields that only a server knows are kept as they are written; what has a field of its own is refused with its name', () => {
  expect(
    told('{ provider: openai, model: m, extra_body: { top_p: 0.9, topK: null, thinking: { budgetTokens: 1 } } }'),
  ).toEqual([]);
  const { suites, project } = loadFiles({
    'proofmark.yaml': projectOf('{ provider: openai, model: m, extra_body: { topP: 0.9, stop: null } }'),
    's.suite.yaml': suite,
  }).definitions;
  expect([suites.length, project.ai_configurations.mine?.extra_body]).toEqual([1, { topP: 0.9, stop: null }]);
  expect(told('{ provider: openai, model: m, extra_body: { temperature: 1, messages: [] } }')).toEqual([
    expect.stringContaining('extra_body.temperature: comes from `temperature` of the configuration: leave it out here'),
    expect.stringContaining('extra_body.messages: comes from the agent and its case: leave it out here'),
  ]);
  expect(told(`{ provider: openai, model: m, extra_body: { stop: ${'x'.repeat(20_000)} } }`)).toEqual([
    expect.stringContaining('extra_body: is longer than 16384 characters as JSON'),
  ]);
});
