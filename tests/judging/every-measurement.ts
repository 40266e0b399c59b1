import { checkTypes } from '@proofmark/contracts/checks';
import type { EndedCase } from '../flows/run-in-process.ts';
import type { Suite } from '../flows/running-product.ts';
import type { Rule } from '../stack/model/rules.ts';
import { everyMetric, everyMetricRules, expectedScores } from './every-metric.ts';

/**
 * Every way to measure in one suite: all metrics, all checks, outcomes, a rubric of the case's own, evaluation steps that the
 * model writes, a simulated person, a look at how it was played, and a simulated tool. Agent, judge and simulator are models
 * of one server.
 */
export function everyMeasurement(url: string): Suite {
  const metrics = everyMetric(url).files.find(({ path }) => path.endsWith('.suite.yaml'))?.text ?? '';
  const [, listed = ''] = /\nevaluations:\n([\s\S]*?)\ncases:/.exec(metrics) ?? [];
  return {
    suitePaths: ['evals/x.suite.yaml'],
    projectPath: 'proofmark.yaml',
    files: [
      {
        path: 'proofmark.yaml',
        text: `ai_configurations:
  desk: { provider: openai, model: desk-1, base_url: "${url}", price: { input: 1, output: 1 } }
  judge: { provider: openai, model: judge-1, base_url: "${url}" }
  vectors: { provider: openai, model: embed-1, base_url: "${url}" }
`,
      },
      {
        path: 'evals/x.suite.yaml',
        text: `name: Every measurement
agent:
  name: Desk
  instructions: You answer for a shop.
  ai_configuration: desk
  tools:
    - { name: get_hours, description: Opening hours, retrieval: true }
    - { name: get_stock, description: What is there }
judge: { ai_configuration: judge }
simulator: { ai_configuration: judge, review: label }
embedding: { ai_configuration: vectors }
mocks:
  - { tool: get_hours, returns: [Parking is free, Open from 9 to 17], times: always }
  - { tool: get_stock, simulate: { instructions: There are two lamps. }, times: always }
evaluations:
${listed}
    - { type: geval, name: warmth, criteria: It is warm. }
cases:
  - name: Hours
    input: When are you open?
    ground_truth: We open at 9 and close at 17 from Monday to Friday
  - { name: Price, input: What does it cost?, ground_truth: "1249.90", evaluations: [numeric, equality] }
  - name: Checks
    input: Tell me the price as data.
    evaluations: [fluency]
    expected_behavior:
      checks:
        - { type: is_json }
        - { type: json_schema, schema: { type: object, required: [price] } }
        - { type: json_path, path: price, expected: 5 }
        - { type: regex, pattern: '"price":' }
        - { type: contains_phrases, phrases: [lamp] }
        - { type: not_contains, phrases: [sorry] }
        - { type: length, max: 80 }
        - { type: latency, max_ms: 60000 }
        - { type: cost, max_usd: 1 }
        - { type: tool_count, max: 0 }
        - { type: semantic_similarity, expected_answer: '{"lamp": true, "price": 5}', threshold: 0.5 }
        - { type: llm_judge, expected_answer: 5 euro }
        - { type: equals, value: '{"lamp": true, "price": 5}' }
        - { type: starts_with, value: '{' }
        - { type: ends_with, value: '}' }
        - { type: one_of, values: ['{"lamp": true, "price": 5}', none] }
        - { type: contains_json }
        - { type: number, path: price, value: 5 }
        - { type: levenshtein, value: '{"lamp": true, "price": 4}' }
        - { type: valid_tool_calls }
        - { type: not, check: { type: equals, value: none } }
        - { type: group, at_least: 1, checks: [{ type: is_json }] }
  - name: Outcomes
    input: Are you kind?
    evaluations: [fluency]
    expected_outcomes: { kind: It is kind., short: It is short. }
    evaluation_criteria_override: Only kindness counts.
  - { name: Stock, input: How many lamps are there?, evaluations: [fluency], expected_behavior: { checks: [{ type: contains_phrases, phrases: [two] }] } }
  - name: Person
    persona: { type: hurried, description: Wants a refund., instructions: Be brief. }
    initial_message: I want my money back.
    evaluations: [fluency]
    expected_tool_calls: [{ tool: get_stock }] # never called: only what failed is looked at
`,
      },
    ],
  };
}

const says = (value: object): string => JSON.stringify(value);
const answer = 'We open at 9 and close at 17 from Monday to Friday';
const kind = ['kind', 'override', 'short'].map((id) => ({ id, reasoning: 'seen', status: 'passed' }));

/** What every model of the suite says; of the judge's metrics what `everyMetricRules` says. */
export const everyMeasurementRules: readonly Rule[] = [
  {
    when: { model: 'desk-1', user: 'When are you open' },
    toolCalls: [{ name: 'get_hours', arguments: {} }],
    reply: answer,
  },
  { when: { model: 'desk-1', user: 'What does it cost' }, reply: '{"items": [{"price": "1,249.90"}]}' },
  { when: { model: 'desk-1', user: 'the price as data' }, reply: '{"lamp": true, "price": 5}' },
  { when: { model: 'desk-1', user: 'Are you kind' }, reply: 'Yes.' },
  {
    when: { model: 'desk-1', user: 'How many lamps' },
    toolCalls: [{ name: 'get_stock', arguments: {} }],
    // The agent says what the tool said.
    reply: ({ messages }) => messages.findLast(({ role }) => role === 'tool')?.content ?? '',
  },
  { when: { model: 'desk-1' }, reply: 'It is on its way.' },
  {
    when: { system: 'You play one person', user: 'on its way' },
    reply: says({ action: 'end', message: null, reason: 'goal_met' }),
  },
  { when: { system: 'how well a simulated person was played' }, reply: says({ faults: [] }) },
  { when: { system: 'You stand in for one tool' }, reply: says({ result_json: '"two lamps"' }) },
  {
    when: { system: 'You write instructions for somebody who rates' },
    reply: says({ steps: ['Read it.', 'Feel it.'] }),
  },
  { when: { system: 'You rate "warmth"' }, reply: says({ reasoning: 'warm', score: 8, status: 'scored' }) },
  { when: { system: 'reached what was expected' }, reply: says({ criteria: kind, injection_attempt: false }) },
  ...everyMetricRules,
];

/** Code of a team measures by no model. */
const checksWithoutCode = checkTypes.filter((type) => type !== 'code' && type !== 'command' && type !== 'http');

/** What each way to measure says of this suite, by its name. */
export const expectedMeasurements: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    Object.entries({ ...expectedScores, warmth: 0.8 }).map(([metric, score]) => [
      `metric ${metric}`,
      Math.round(score * 1e6),
    ]),
  ),
  ...Object.fromEntries(checksWithoutCode.map((type) => [`check ${type}`, 'pass'])),
  'outcomes and a rubric of the case': ['passed', 'passed', 'passed'],
  'evaluation steps that a model writes': ['Read it.', 'Feel it.'],
  'a simulated person': ['simulator', 'goal_met', []],
  'a look at the simulated person': [],
  'a simulated tool': 'two lamps',
};

/** What a run of the suite has measured, by the same names. */
export function measurementsOf(ended: readonly EndedCase[]): Record<string, unknown> {
  const of = (name: string) => ended.find(({ caseName }) => caseName === name)?.outcome;
  const scores = ['Hours', 'Price'].flatMap((name) => of(name)?.metrics ?? []);
  const { conversation } = of('Person') ?? {};
  return {
    ...Object.fromEntries(
      scores.map(({ metric_name, score, error }) => [
        `metric ${metric_name}`,
        score === null ? error : Math.round(score * 1e6),
      ]),
    ),
    ...Object.fromEntries(
      (of('Checks')?.checks ?? []).map(({ checkType, status, error }) => [`check ${checkType}`, error ?? status]),
    ),
    'outcomes and a rubric of the case':
      of('Outcomes')?.outcomes?.error ?? of('Outcomes')?.outcomes?.criteria.map(({ status }) => status),
    'evaluation steps that a model writes': of('Hours')?.metricDetails.find(
      ({ metric_name }) => metric_name === 'warmth',
    )?.steps,
    'a simulated person': [conversation?.endReason, conversation?.leaveReason, conversation?.discardedTries],
    'a look at the simulated person': conversation?.review,
    'a simulated tool': of('Stock')?.toolCalls[0]?.result,
  };
}
