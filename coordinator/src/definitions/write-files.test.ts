import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { describe, expect, it } from 'vitest';
import { parseFiles } from './parse-files.ts';
import { type WrittenSuite, writeFiles, writtenAgent, writtenCase, writtenSuite } from './write-files.ts';

const root = join(import.meta.dirname, '../../..');
const read = (...paths: string[]) =>
  paths.map((path) => ({ path: path.split('/').slice(2).join('/'), text: readFileSync(join(root, path), 'utf8') }));

const seeds = read(
  'examples/seeds/proofmark.yaml',
  'examples/seeds/agents/shop.agent.yaml',
  'examples/seeds/evals/shop.suite.yaml',
  ...['change-of-address', 'escalation', 'prompt-injection', 'refund', 'unknown-customer'].map(
    (name) => `examples/seeds/cases/${name}.case.yaml`,
  ),
);
const variables = read(
  'examples/variables/proofmark.yaml',
  'examples/variables/agents/greeter.agent.yaml',
  'examples/variables/evals/greeting.suite.yaml',
  'examples/variables/types/greeting.type.yaml',
);
const everything = {
  path: 'evals/all.suite.yaml',
  text: `
name: All
description: Everything that a suite can say
agent:
  name: Bot
  instructions: Say {{Word}}.
  model: { provider: openai, name: gpt }
  tools: [{ name: refund, parameters: { type: object, properties: { __proto__: { type: string } } } }]
test_type: words
variables: { Word: hello }
judge: { ai_configuration: big, panel: [big, small, big] }
evaluations: { model: { provider: openai, name: judge }, metrics: [{ name: bleu, threshold: 0.4 }, { metric: groundedness, threshold: 0.5, model: small }] }
mocks: [{ tool: refund, when: { order: { $regex: "A.*" } }, returns: { ok: true, note: null }, times: always }]
mock_settings: { mode: mixed, state: { orders: [1, null] } }
repetitions: 2
gate: { min_pass_rate: 80 }
matrix: { Size: [1, 2], include: [{ Size: 3 }], exclude: [{ Size: 2 }] }
schedule_type: weekly
schedule_time: "02:30"
schedule_day_of_week: 0
alert_threshold_percent: 5
watch: ["prompts/**"]
cases:
  - { input: "Say {{Word}}\\n\\ttwice", expected_tools: [refund], tags: [a, a, b], ground_truth: hello, evaluations: [bleu] }
  - { name: Tools, question: Refund me, evaluations: [groundedness], expected_tool_calls: [{ tool: refund, expectedParams: { order: { $range: [1, 2] } } }, { tool: refund, expected_params: { order: x }, forbidden: true }] }
  - { name: Talk, evaluations: [groundedness], persona: { type: calm, description: A, instructions: B }, initial_message: Hi, user_context: { a: { b: null } }, max_turns: 3, expected_outcomes: { done: true }, difficulty: hard, literal: true }
  - { name: Similar, input: x, expectedBehavior: { mode: any, checks: [{ type: semantic_similarity, expectedAnswer: y, threshold: 0.8 }, { type: contains_phrases, phrases: [y], caseSensitive: true }] }, variables: { Word: { locked: true, defaultValue: bye }, Size: { exposed: false } }, status: archived, is_enabled: false, files: [{ path: a.csv, type: csv }] }
`,
};
const all = [
  {
    path: 'proofmark.yaml',
    text: `
ai_configurations:
  big: { provider: openai, model: big-1, price: { input: 1, output: 2 }, label: Big }
  small: { provider: openai, model: small-1, api_key_env: SMALL_KEY, temperature: 0 }
test_types: ["*.type.yaml"]
presets: { short: { Size: 1 } }
limits: { case_timeout_ms: 1000 }
`,
  },
  {
    path: 'words.type.yaml',
    text: `
name: words
variables_schema:
  schemaVersion: "1.0"
  variables:
    - { name: Word, displayName: Word, dataType: string, valueSource: freeform, required: true }
    - { name: Size, displayName: Size, dataType: number, valueSource: static, possibleValues: [{ value: 1 }, { value: 2 }, { value: 3 }], required: false, defaultValue: 1 }
`,
  },
  everything,
];

/** What two loadings of one suite have in common. */
const essence = ({ suite, agent, testType }: LoadedSuite) => ({ suite, agent, testType });

describe('stored definitions written as files', () => {
  it.each([
    ['the cases of seed 001', seeds, 'evals/shop.suite.yaml'],
    ['a test type of its own', variables, 'evals/greeting.suite.yaml'],
    ['a suite that says everything', all, 'evals/all.suite.yaml'],
  ])('%s mean the same when they are read again', (_what, files, path) => {
    const projectPath = 'proofmark.yaml';
    const { definitions, testTypes, problems } = parseFiles({ files, suitePaths: [path], projectPath });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [loaded] = definitions.suites;
    if (loaded === undefined) throw new Error('nothing was loaded');
    const project = {
      aiConfigurations: definitions.project.ai_configurations,
      testTypes,
      presets: definitions.project.presets,
      limits: definitions.project.limits,
    };

    const again = parseFiles(writeFiles(project, asWritten(loaded)));

    expect(again.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(again.definitions.suites.map(essence)).toEqual([essence(loaded)]);
    expect(again.definitions.project.ai_configurations).toEqual(definitions.project.ai_configurations);
    expect(again.definitions.project.limits).toEqual(definitions.project.limits);
  });
});

function asWritten({ path, suite: { cases, ...settings }, agent }: LoadedSuite): WrittenSuite {
  return {
    path,
    settings: writtenSuite(settings),
    agent: writtenAgent(agent),
    cases: cases.map((testCase, index) => ({ id: `case-${index}`, written: writtenCase(testCase) })),
  };
}
