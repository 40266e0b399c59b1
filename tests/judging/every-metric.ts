import type { Suite } from '../flows/running-product.ts';
import type { Rule } from '../stack/model/rules.ts';

/** What a model that rates is told of each metric, the score that it gives, and what the report says of that score. */
const rated = {
  groundedness: ['How far the response rests on the context', 5, 1],
  relevance: ['How well the response addresses what was asked', 4, 0.8],
  coherence: ['How well the sentences of the response hang together', 3, 0.6],
  fluency: ['The quality of the language', 2, 0.4],
  similarity: ['shares with the reference answer', 5, 1],
  intent_resolution: ['Whether the request of the user was resolved', 1, 0.2],
  tool_call_accuracy: ['Whether the agent called the tools', 4, 0.8],
  task_adherence: ['Whether the agent kept to its instructions', 1, 1],
  kindness: ['You rate "kindness"', 9, 0.9],
  strictness: ['You rate "strictness"', 9, 0],
} as const;

/** Beside them what code computes, what other models say, and what is decided item by item: two of three, or the second of two. */
export const expectedScores: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(rated).map(([metric, [, , score]]) => [metric, score])),
  ...{
    llm_judge: 1,
    semantic_similarity: 1,
    faithfulness: 2 / 3,
    answer_relevancy: 2 / 3,
    contextual_relevancy: 2 / 3,
  },
  ...{ contextual_precision: 0.5, contextual_recall: 2 / 3 },
  // Equal texts of twelve words: METEOR still counts them as one fragment.
  ...{ bleu: 1, rouge: 1, rouge1: 1, rouge2: 1, rougeL: 1, f1: 1, meteor: 1 - 0.5 / 12 ** 3 },
  ...{ equality: 1, numeric: 1 },
};

const answer = 'We open at 9 and close at 17 from Monday to Friday';
const json = '{"items": [{"price": "1,249.90"}]}';

/** A suite with every metric by name. Numbers have a case of their own, because their reference is a number. */
export const everyMetric = (url: string): Suite => ({
  suitePaths: ['evals/x.suite.yaml'],
  projectPath: 'proofmark.yaml',
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations:
  judge: { provider: openai, model: judge-1, base_url: "${url}" }
  vectors: { provider: openai, model: embed-1, base_url: "${url}" }
`,
    },
    {
      path: 'evals/x.suite.yaml',
      text: `name: Every metric
agent:
  name: Desk
  instructions: You answer for a shop.
  tools: [{ name: get_hours, description: Opening hours, retrieval: true }]
  driver:
    type: scripted
    replies:
      - { contains: cost, reply: '${json}' }
      - { tool_calls: [{ name: get_hours }], reply: ${answer} }
judge: { ai_configuration: judge }
embedding: { ai_configuration: vectors }
mocks: [{ tool: get_hours, returns: [Parking is free, Open from 9 to 17], times: always }]
evaluations:
  metrics:
    - { type: geval, name: left_out, criteria: It is long., enabled: false, threshold: 1 }
${metricLines()}
    - { metric: numeric, response_path: "items[0].price", accept_thousands_separators: true }
    - { metric: equality, response_path: "$.items[0].price", strip_punctuation: true }
cases:
  - name: Hours
    input: When are you open?
    ground_truth: ${answer}
    evaluations: [left_out, ${names.join(', ')}]
  - { name: Price, input: What does it cost?, ground_truth: "1249.90", evaluations: [numeric, equality] }
`,
    },
  ],
});

const rag = ['faithfulness', 'answer_relevancy', 'contextual_relevancy', 'contextual_precision', 'contextual_recall'];
const ofText = ['bleu', 'rouge', 'rouge1', 'rouge2', 'rougeL', 'meteor', 'f1', 'llm_judge', 'semantic_similarity'];
const standard = Object.keys(rated).filter((metric) => !['kindness', 'strictness'].includes(metric));
const names = [...standard, ...ofText, 'kindness', 'strictness', ...rag];

function metricLines(): string {
  const geval = 'evaluation_steps: [Read it.], evaluation_params: [input, actual_output]';
  return [
    ...[...standard, ...ofText].map((metric) => `{ metric: ${metric}, threshold: 0 }`),
    `{ type: geval, name: kindness, criteria: It is kind., ${geval}, threshold: 0.9 }`,
    `{ type: geval, name: strictness, criteria: It is strict., ${geval}, threshold: 0, strict_mode: true }`,
    ...rag.map((type) => `{ type: rag, metric_type: ${type} }`),
  ]
    .map((line) => `    - ${line}`)
    .join('\n');
}

const says = (value: object): string => JSON.stringify(value);
const verdicts = (...list: boolean[]): string =>
  says({ verdicts: list.map((verdict, index) => ({ number: index + 1, reasoning: '', verdict })) });

/** The judge of the suite: whatever it is asked, it gives the answer that stands above. */
export const everyMetricRules: readonly Rule[] = [
  ...Object.values(rated).map(([system, score]) => ({
    when: { system },
    reply: says({ reasoning: `worth ${score}`, score, status: 'scored' }),
  })),
  { when: { system: 'against an expected answer' }, reply: says({ reasoning: 'the same', passed: true }) },
  { when: { system: 'List the' }, reply: says({ items: ['one', 'two', 'three'] }) },
  { when: { system: 'Is the chunk useful' }, reply: verdicts(false, true) },
  { when: { system: 'Decide about each' }, reply: verdicts(true, true, false) },
];
