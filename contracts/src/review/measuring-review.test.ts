import { describe, expect, test } from 'vitest';
import {
  judged,
  loadFiles,
  messages,
  okCase,
  openai,
  problemsOf,
  project,
  review,
} from '../load/sample-files.fixture.ts';

describe('models that measure', () => {
  test.each([
    [
      'llm_judge',
      'input: hi, expected_behavior: { checks: [{ type: llm_judge, expected_answer: x }] }',
      'cases.0.expected_behavior.checks.0',
    ],
    [
      'semantic_similarity',
      'input: hi, expected_behavior: { checks: [{ type: semantic_similarity, expected_answer: x, threshold: 0.5 }] }',
      'cases.0.expected_behavior.checks.0',
    ],
    ['outcomes', 'input: hi, expected_outcomes: { a: true }', 'cases.0.expected_outcomes'],
    ['a simulated user', 'initial_message: hi, expected_tools: [refund]', 'cases.0'],
  ])('%s without a model is an error at its place', (_, fields, path) => {
    expect(review(openai(`cases:\n  - { name: a, ${fields} }`))).toEqual([`4 required ${path}`]);
  });

  test('a judge alone also simulates, and its provider embeds', () => {
    const text = judged(`  - { name: a, initial_message: hi, expected_outcomes: { a: true } }
  - { name: b, input: hi, expected_behavior: { checks: [{ type: semantic_similarity, expected_answer: x, threshold: 0.5 }] } }`).replace(
      'ai_configuration: llama',
      'ai_configuration: gpt-4o',
    );
    const { definitions, problems } = loadFiles({ 'proofmark.yaml': project, 's.suite.yaml': text });
    expect(problems).toEqual([]);
    expect(definitions.suites[0]?.suite).toMatchObject({
      simulator: { ai_configuration: 'gpt-4o' },
      embedding: { ai_configuration: 'gpt-4o/embeddings' },
    });
    expect(definitions.project.ai_configurations['gpt-4o/embeddings']).toEqual({
      provider: 'openai',
      model: 'text-embedding-3-small',
      api_key_env: 'KEY',
    });
  });

  test('a metric that embeds gets a model from the judge as well', () => {
    const text = openai(`judge: { ai_configuration: llama }
evaluations: { metrics: [{ metric: semantic_similarity }] }
cases:\n  - { name: a, input: hi, ground_truth: x }`);
    const { definitions, problems } = loadFiles({ 'proofmark.yaml': project, 's.suite.yaml': text });
    expect(problems).toEqual([]);
    expect(definitions.suites[0]?.suite.embedding).toEqual({ ai_configuration: 'llama/embeddings' });
  });

  test('every AI configuration that is named must exist', () => {
    const text = openai(`judge: { ai_configuration: gpt4o, panel: [llama, lama, gpt-4o] }
simulator: { ai_configuration: x }
embedding: { ai_configuration: y }
variables: { AIConfiguration: gpt-4 }
matrix: { AIConfiguration: [llama, z] }
cases:\n${okCase}`);
    expect(review(text)).toEqual([
      '3 not_found judge.ai_configuration',
      '3 not_found judge.panel.1',
      '4 not_found simulator.ai_configuration',
      '5 not_found embedding.ai_configuration',
      '6 invalid_value variables.AIConfiguration',
      '7 invalid_value matrix.AIConfiguration.1',
    ]);
    expect(messages(text)).toContain('there is no AI configuration `gpt4o`, did you mean `gpt-4o`?');
  });

  test('mocks for a service that runs its tools itself are an error, unless they are ignored anyway', () => {
    const suite = (settings: string) =>
      `name: S
agent:
  name: a
  tools: [{ name: refund }]
  driver: { type: http, url: "https://a.example.com", mapping: { request: { q: { $from: input } }, response: text } }
mocks: [{ tool: refund, returns: 1 }]
${settings}
cases:\n${okCase}`;
    expect(review(suite(''))).toEqual(['6 exclusive mocks']);
    expect(review(suite('mock_settings: { mode: live }'))).toEqual([]);
  });

  test('the request to a service takes up only what there is', () => {
    const suite = (request: string) =>
      `name: S
test_type: agent-eval
agent:
  name: a
  driver: { type: http, url: "https://a.example.com", mapping: { request: ${request}, response: text } }
cases:\n${okCase}`;
    const all = ['input', 'session', 'turn', 'history', 'conversation_id', 'seed', 'instructions', 'tools', 'files'];
    expect(review(suite(`[${all.map((root) => `{ $from: ${root} }`).join(', ')}]`))).toEqual([]);
    expect(review(suite('{ t: { $from: variables.Temperature }, all: { $from: variables } }'))).toEqual([]);
    expect(review(suite('{ q: { $from: inptu }, t: [{ $concat: [a, { $from: variables.Temprature }] }] }'))).toEqual([
      '5 invalid_value agent.driver.mapping.request.q.$from',
      '5 unknown_variable agent.driver.mapping.request.t.0.$concat.1.$from',
    ]);
    expect(messages(suite('{ q: { $from: inptu } }'))).toContain('did you mean `input`?');
    expect(messages(suite('{ q: { $form: input } }'))).toContain('unknown template `$form`, did you mean `$from`?');
    // What only canned answers have is not there.
    expect(review(suite('{ q: { $from: args.day } }'))).toEqual([
      '5 invalid_value agent.driver.mapping.request.q.$from',
    ]);
  });

  test('live tools are worth a warning where no driver has any', () => {
    const text = openai(`mock_settings: { mode: mixed }\ncases:\n${okCase}`);
    expect(review(text)).toEqual(['warning 3 invalid_value mock_settings.mode']);
    expect(messages(text)).toContain('`mode: mixed` reaches no tool');
  });

  test('a panel has three or five members', () => {
    const text = openai(`judge: { ai_configuration: llama, panel: [llama, llama, llama, llama] }\ncases:\n${okCase}`);
    expect(review(text)).toEqual(['3 invalid_value judge.panel']);
  });
});

describe('metrics are bound before a run starts', () => {
  test.each([
    ['an unknown name', '{ metric: groundednes, model: llama }', '3 invalid_enum evaluations.metrics.0.metric'],
    ['no model to embed with', '{ metric: semantic_similarity }', '3 required evaluations.metrics.0'],
    ['no model', '{ metric: relevance }', '3 required evaluations.metrics.0'],
    [
      'a threshold above 1 without a scale',
      '{ metric: bleu, threshold: 2 }',
      '3 out_of_range evaluations.metrics.0.threshold',
    ],
    [
      'a threshold above the scale',
      '{ metric: relevance, model: llama, scale: 5, threshold: 6 }',
      '3 out_of_range evaluations.metrics.0.threshold',
    ],
    [
      'a rubric without criteria',
      '{ type: geval, name: tone, model: llama }',
      '3 required evaluations.metrics.0.criteria',
    ],
    [
      'a rag metric without its type',
      '{ type: rag, metric: mine, model: llama }',
      '3 required evaluations.metrics.0.metric_type',
    ],
    [
      'a threshold of 0',
      '{ metric: relevance, model: llama, threshold: 0 }',
      'warning 3 invalid_value evaluations.metrics.0.threshold',
    ],
  ])('%s', (_, metric, expected) => {
    expect(
      review(
        openai(
          `evaluations: { metrics: [${metric}] }\ncases:\n  - { name: a, input: hi, ground_truth: x, expected_tools: [refund] }`,
        ),
      ),
    ).toEqual([expected]);
  });

  test('a metric twice is a duplicate', () => {
    expect(
      review(
        openai(
          `evaluations: { metrics: [{ metric: f1 }, { metric: f1 }] }\ncases:\n  - { name: a, input: hi, ground_truth: x }`,
        ),
      ),
    ).toEqual(['3 duplicate evaluations.metrics.1.metric']);
  });

  test('a metric that compares needs a ground truth in every case that it judges', () => {
    const text = openai(
      'evaluations: { metrics: [{ metric: bleu }, { metric: relevance, model: llama }] }\ncases:\n  - { name: a, input: hi }\n  - { name: b, input: hi, evaluations: [relevance] }',
    );
    expect(review(text)).toEqual(['5 required cases.0']);
  });

  test.each([
    ['groundedness', '{ metric: groundedness }', true],
    ['faithfulness', '{ metric: faith, type: rag, metric_type: faithfulness }', true],
    [
      'a rubric that reads the context',
      '{ name: g, metric: g, type: geval, criteria: x, evaluation_params: [context] }',
      true,
    ],
    ['answer relevancy', '{ metric: rel, type: rag, metric_type: answer_relevancy }', false],
    ['relevance', '{ metric: relevance }', false],
  ])('%s needs a context, which only files and tools can bring: %s', (_, metric, needs) => {
    const suite = (agent: string, fields = '') =>
      `name: S\nagent: { name: a, instructions: x, ${agent} }\njudge: { ai_configuration: llama }
evaluations: { metrics: [${metric}] }\ncases:\n  - { name: a, input: hi${fields} }\n`;
    const bare = 'ai_configuration: gpt-4o';
    expect(review(suite(bare))).toEqual(needs ? ['6 required cases.0'] : []);
    if (needs) expect(messages(suite(bare))).toContain('and it has no `files` and the agent no `tools`');
    // Not where one may come: from a file, from a tool, or from a service that has tools of its own.
    expect(review(suite(bare, ', files: [{ url: "https://example.com/a.txt", type: text }]'))).toEqual([]);
    expect(review(suite(`${bare}, tools: [{ name: t }]`))).toEqual([]);
    expect(review(suite('driver: { type: http, url: "https://a.example.com" }'))).toEqual([]);
  });

  test('all metrics that miss a ground truth are one problem of the case', () => {
    const text = openai(
      'evaluations: { metrics: [{ metric: bleu }, { metric: f1 }] }\ncases:\n  - { name: a, input: hi }',
    );
    expect(messages(text)).toBe('case `a` needs a `ground_truth`: the metrics `bleu`, `f1` compare with it');
  });
});

describe('a ground truth that a metric cannot work with', () => {
  const warned = (metric: string, truth: string): string[] =>
    problemsOf(
      openai(`evaluations: { metrics: [{ ${metric} }] }\ncases:\n  - { name: a, input: hi, ground_truth: "${truth}" }`),
      { 'proofmark.yaml': project },
    ).map(
      ({ severity, path, message, hint }) => `${severity} ${path}: ${message}${hint === undefined ? '' : ` | ${hint}`}`,
    );

  test.each([
    [
      'metric: numeric',
      'many',
      'warning cases.0.ground_truth: `ground_truth` is not a number, so the metric `numeric` can never pass',
    ],
    [
      'metric: numeric',
      '50%',
      'warning cases.0.ground_truth: `ground_truth` is not a number, so the metric `numeric` can never pass | Set `accept_percent: true` on the metric.',
    ],
    [
      'metric: numeric',
      '1,200',
      'warning cases.0.ground_truth: `ground_truth` is not a number, so the metric `numeric` can never pass | Set `accept_thousands_separators: true` on the metric.',
    ],
    [
      'metric: meteor, threshold: 0.9',
      'yes',
      'warning cases.0.ground_truth: a `ground_truth` of one word reaches at most 0.5 with `meteor`, below its threshold 0.9 | Lower the threshold, or use `equality` or `f1` for short answers.',
    ],
    [
      'metric: meteor, threshold: 4.9, scale: 5',
      'we open',
      'warning cases.0.ground_truth: a `ground_truth` of 2 words reaches at most 4.6875 with `meteor`, below its threshold 4.9 | Lower the threshold, or use `equality` or `f1` for short answers.',
    ],
    [
      'metric: rougeL',
      'Мы открыты с 9',
      'warning cases.0.ground_truth: `rougeL` sees only the letters a to z and digits of `ground_truth` | Use `similarity` or `semantic_similarity`, which read every script.',
    ],
  ])('%s with %j', (metric, truth, expected) => {
    expect(warned(metric, truth)).toEqual([expected]);
  });

  test.each([
    ['metric: numeric', ' -1.5e3 '],
    ['metric: numeric, accept_percent: true', '50%'],
    ['metric: numeric, accept_thousands_separators: true', '1,200'],
    ['metric: numeric', '{{Temperature}}'],
    ['metric: meteor, threshold: 0.5', 'yes'],
    ['metric: meteor', 'yes'],
    ['metric: rouge', 'We open — at 9'],
  ])('%s with %j is fine', (metric, truth) => {
    expect(warned(metric, truth)).toEqual([]);
  });
});
