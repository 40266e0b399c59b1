import { describe, expect, test } from 'vitest';
import { brief, loadFiles, projectOfTwo, suiteOf } from './sample-files.fixture.ts';

describe('documents of the five sources load unchanged', () => {
  test('a HoloDeck agent file with test cases and metrics is a suite of its own (S0-01…S0-06, S0-07, S0-115, S0-116)', () => {
    const { definitions, problems } = loadFiles({
      'agents/support.suite.yaml': `
name: Customer Support Agent
model: { provider: azure_openai, name: gpt-4o, temperature: 0.7, max_tokens: 500, api_key: "\${AZURE_KEY}", endpoint: "https://example.org/openai" }
instructions: { file: instructions/system.md }
tools:
  - { name: get_order_status, type: function, description: Looks an order up, file: tools.py, function: get }
  - { name: knowledge, type: vectorstore, source: data/kb, top_k: 3 }
evaluations:
  metrics:
    - { metric: groundedness, threshold: 0.7, scale: 1 }
    - { metric: relevance, threshold: 0.7, model: { provider: openai, name: gpt-4o-mini } }
    - { type: geval, name: direct-answer, criteria: Same facts, evaluation_params: [input, actual_output], threshold: 0.6 }
    - { type: rag, metric_type: faithfulness, threshold: 0.7, include_reason: true }
test_cases:
  - name: Business hours query
    input: "What are your business hours?"
    ground_truth: "We're open Monday-Friday 9AM-5PM EST"
  - input: "Where is my order #12345?"
    expected_tools: ["get_order_status"]
    evaluations: [groundedness]
    files: [{ path: docs/order.pdf, type: pdf, pages: [1] }]
`,
      'agents/instructions/system.md': 'You help customers.\n',
      'docs/order.pdf': 'x',
    });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [loaded] = definitions.suites;
    expect(loaded?.agent).toMatchObject({
      name: 'Customer Support Agent',
      instructions: 'You help customers.\n',
      ai_configuration: 'Customer Support Agent',
      tools: [
        { name: 'get_order_status', retrieval: false },
        { name: 'knowledge', retrieval: true },
      ],
    });
    expect(definitions.project.ai_configurations).toEqual({
      'Customer Support Agent': {
        provider: 'azure_openai',
        model: 'gpt-4o',
        temperature: 0.7,
        max_tokens: 500,
        base_url: 'https://example.org/openai',
        api_key_env: 'AZURE_KEY',
      },
      'openai/gpt-4o-mini': { provider: 'openai', model: 'gpt-4o-mini' },
    });
    expect(loaded?.suite.evaluations?.metrics.map(({ metric, model }) => [metric, model])).toEqual([
      ['groundedness', undefined],
      ['relevance', 'openai/gpt-4o-mini'],
      ['direct-answer', undefined],
      ['faithfulness', undefined],
    ]);
    expect(loaded?.suite.cases.map(({ name }) => name)).toEqual(['Business hours query', 'support#2']);
    expect(loaded?.suite.judge).toEqual({ ai_configuration: 'Customer Support Agent' });
    expect(loaded?.dependsOn).toEqual(['agents/support.suite.yaml', 'agents/instructions/system.md', 'docs/order.pdf']);
  });

  test('a case file of seed 001 is named by a suite and keeps every field (S1-05, S1-13, S1-16, S1-23, S1-25, S1-26)', () => {
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': projectOfTwo,
      'evals/a.suite.yaml': `name: A\nagent: { name: a, instructions: x, ai_configuration: gpt-4o, tools: [{ name: refund }, { name: close }] }\njudge: { ai_configuration: llama }\ncases: [cases/refund.yaml]\n`,
      'evals/cases/refund.yaml': `
schema_version: "1.0.0"
name: Refund
description: null
difficulty: hard
tags: [edge-case, normal, edge-case]
persona: { type: polite-customer, description: Bought five days ago, instructions: Give the number when asked }
initial_message: I want my money back
user_context: { order_id: A-1, nested: { camelCase: [1, null] } }
max_turns: null
expected_outcomes: { refundIssued: true }
expected_tool_calls: [{ tool: refund, expected_params: null }, { tool: close, expected_params: { orderId: A-1 } }]
evaluation_criteria_override: null
`,
    });
    expect(brief(problems)).toEqual([]);
    const [loaded] = definitions.suites;
    expect(loaded?.suite.cases[0]).toMatchObject({
      name: 'Refund',
      kind: 'simulated',
      tags: ['edge-case', 'normal'],
      user_context: { order_id: 'A-1', nested: { camelCase: [1, null] } },
      expected_outcomes: { refundIssued: true },
      expected_tool_calls: [
        { tool: 'refund', expected_params: null, forbidden: false },
        { tool: 'close', expected_params: { orderId: 'A-1' }, forbidden: false },
      ],
    });
    expect(loaded?.casePositions.get('Refund')).toEqual({ line: 4, column: 9 });
    expect(loaded?.caseFiles.get('Refund')).toBe('evals/cases/refund.yaml');
    expect(loaded?.dependsOn).toContain('evals/cases/refund.yaml');
  });

  test('an ExpectedBehavior of seed 002 is read in its own spelling (S2-32, S2-33, S2-35, S2-36)', () => {
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': projectOfTwo,
      'a.suite.json': JSON.stringify({
        name: 'A',
        agent: { name: 'a', instructions: 'x', ai_configuration: 'gpt-4o' },
        judge: { ai_configuration: 'gpt-4o' },
        scheduleType: 'weekly',
        scheduleTime: '18:00',
        scheduleDayOfWeek: 0,
        alertThresholdPercent: 5,
        cases: [
          {
            name: 'q',
            question: 'q?',
            sortOrder: 2,
            expectedBehavior: {
              mode: 'any',
              checks: [
                { type: 'contains_phrases', phrases: ['a'], caseSensitive: true },
                { type: 'semantic_similarity', expectedAnswer: 'a', threshold: 0.8 },
                { type: 'llm_judge', expectedAnswer: 'a', criteria: 'same' },
              ],
            },
          },
          { name: 'first', question: 'x', expectedBehavior: { checks: [{ type: 'equals', value: 'x' }] } },
        ],
      }),
    });
    expect(brief(problems)).toEqual([]);
    const suite = definitions.suites[0]?.suite;
    expect(suite).toMatchObject({
      schedule_type: 'weekly',
      schedule_time: '18:00',
      schedule_day_of_week: 0,
      alert_threshold_percent: 5,
    });
    expect(suite?.cases.map(({ name, input }) => [name, input])).toEqual([
      ['first', 'x'],
      ['q', 'q?'],
    ]);
    expect(suite?.cases[1]?.expected_behavior).toEqual({
      mode: 'any',
      checks: [
        { type: 'contains_phrases', phrases: ['a'], case_sensitive: true },
        { type: 'semantic_similarity', expected_answer: 'a', threshold: 0.8 },
        { type: 'llm_judge', expected_answer: 'a', criteria: 'same' },
      ],
    });
  });

  test('type, test and suite documents of seed 004 are read as they are (S4-02, S4-03, S4-04, S4-22, S4-28)', () => {
    const { definitions, problems } = loadFiles({
      'proofmark.yaml': `${projectOfTwo}test_types: [types/*.type.json]\n`,
      'types/region.type.json': JSON.stringify({
        schemaVersion: '1.0',
        variables: [
          {
            name: 'Region',
            displayName: 'Region',
            dataType: 'string',
            valueSource: 'static',
            possibleValues: [{ value: 'eu' }, { value: 'us' }],
            required: true,
          },
          { name: 'Model', displayName: 'Model', dataType: 'string', valueSource: 'entity', required: false },
        ],
      }),
      'a.suite.yaml': suiteOf(`test_type: region
variables: { variables: { Region: eu } }
cases:
  - name: a
    input: Where is {{Region}}?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["{{Region}}"] }] }
    variables: { variables: { Model: { exposed: true, defaultValue: gpt-4o, locked: true, restrictedValues: [gpt-4o] } } }`),
    });
    expect(brief(problems)).toEqual([]);
    const [loaded] = definitions.suites;
    expect(loaded?.suite.variables).toEqual({ Region: 'eu' });
    expect(loaded?.suite.cases[0]?.variables).toEqual({
      Model: { exposed: true, defaultValue: 'gpt-4o', locked: true, restrictedValues: ['gpt-4o'] },
    });
    expect(loaded?.testType.variables_schema.variables[1]?.possibleValues).toEqual([
      { value: 'gpt-4o' },
      { value: 'llama' },
    ]);
    expect(loaded?.dependsOn).toEqual(['a.suite.yaml', 'types/region.type.json', 'proofmark.yaml']);
  });
});
