import { MetricResult } from '@proofmark/contracts/case-outcome';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from './report-markdown.ts';
import { type SampleTestRun, sampleReport } from './sample-test-run.fixture.ts';

const metric = (metric_name: string, score: number | null, passed: boolean) => ({
  metric_name,
  score,
  threshold: 0.7,
  passed,
  scale: null,
  error: score === null ? 'judge is down' : null,
  retry_count: 0,
  evaluation_time_ms: 1200,
  model_used: 'gpt-4o',
});
const twoTests: SampleTestRun[] = [
  {
    name: 'Business hours query',
    case: { expected_tools: ['get_hours'] },
    outcome: {
      toolCalls: [
        {
          id: '1',
          name: 'get_hours',
          args: {},
          argsError: null,
          result: {},
          error: null,
          source: 'mock',
          turn: 0,
          durationMs: 1,
        },
      ],
      tools: { matched: true, problems: [] },
      metrics: [metric('groundedness', 0.95, true), metric('relevance', 0.82, true)],
    },
  },
  {
    name: 'Refund (hard)',
    outcome: {
      status: 'failed',
      response: '',
      metrics: [metric('groundedness', 0.5, false), metric('relevance', null, false)],
    },
  },
];

describe('renderMarkdown', () => {
  test('S0-135…S0-146 the layout of seed 000', () => {
    const markdown = renderMarkdown(sampleReport(twoTests), new Map([[1, ['groundedness 0.50 is below 0.70']]]));
    expect(markdown.replaceAll('  \n', '\n')).toMatchInlineSnapshot(`
      "# Test Report: Support agent

      **Date**: 2025-11-01 14:35:00 UTC
      **Proofmark Version**: 0.1.0
      **Tests**: 1 passed, 1 failed (50% pass rate)
      **Not measured**: The metric <code>relevance</code> was measured in 1 of 2 test runs only: <code>judge is down</code>.
      **Duration**: 7.0s

      ## Summary

      | Metric | Avg Score | Pass Rate |
      |--------|-----------|-----------|
      | groundedness | 0.72 | 50% |
      | relevance | 0.82 | 100% |

      ## Test Results

      ### ✅ Test 1: Business hours query (PASSED)

      **Input**:

      \`\`\`text
      When are you open?
      \`\`\`

      **Response**:

      \`\`\`text
      From 9 to 17
      \`\`\`

      **Tools Called**: get_hours ✅ (matched expected)
      **Execution Time**: 3.5s

      **Metrics**:
      - Groundedness: 0.95 / 0.70 ✅
      - Relevance: 0.82 / 0.70 ✅

      ### ❌ Test 2: <code>Refund &#40;hard&#41;</code> (FAILED)

      **Why**:

      \`\`\`text
      groundedness 0.50 is below 0.70
      \`\`\`

      **Input**:

      \`\`\`text
      When are you open?
      \`\`\`

      **Response**:

      (empty)

      **Tools Called**: none
      **Execution Time**: 3.5s

      **Metrics**:
      - Groundedness: 0.50 / 0.70 ❌
      - Relevance: no score ⚠️ error

      **Metrics without a score**:

      \`\`\`text
      relevance: judge is down
      \`\`\`
      "
    `);
  });

  test('an answer cannot change the headings, tables or lists of the report', () => {
    const hostile = '\n```\n# PASSED\n| a | b |\n|---|---|\n<details>\n~~~\n[x](https://evil.example) @team #1';
    const shape = (text: string) =>
      outlineOf(renderMarkdown(sampleReport([{ outcome: { response: text, testInput: text } }])));
    expect(shape(hostile)).toEqual(shape('x'));
  });

  test('names with punctuation cannot change the layout either', () => {
    const markdown = renderMarkdown(sampleReport([{ name: 'a | b\n# c <b>' }], '*agent* @team'));
    expect(markdown).toContain('# Test Report: <code>&#42;agent&#42; &#64;<wbr>team</code>\n');
    expect(markdown).toContain('### ✅ Test 1: <code>a &#124; b &#35; c &#60;b&#62;</code> (PASSED)\n');
  });

  test('files are listed with what became of them, and their names change no layout', () => {
    const read = { metadata: {}, cached_path: null, processing_time_ms: 1 };
    const files = [
      {
        ...read,
        original: { path: 'docs/a.pdf', type: 'pdf' as const },
        markdown_content: 'twelve chars',
        error: null,
      },
      { ...read, original: { url: 'https://e.com/```', type: 'csv' as const }, markdown_content: '', error: 'gone' },
    ];
    const markdown = renderMarkdown(sampleReport([{ outcome: { files } }]));
    expect(markdown).toContain('**Files**:');
    expect(markdown).toContain('1. docs/a.pdf (pdf): 12 characters\n2. https://e.com/``` (csv): gone\n');
    expect(outlineOf(markdown).filter((line) => line.includes('e.com'))).toEqual([]);
  });

  test('skipped tests are listed beside the executed ones', () => {
    const report = { ...sampleReport(), skipped: [{ test_name: 'Old case', reason: 'draft' }] };
    const markdown = renderMarkdown(report);
    expect(markdown).toContain('1 passed, 0 failed (100% pass rate), 1 skipped');
    expect(markdown).toContain('## Skipped\n\n- Old case: draft\n');
  });
});

/** Lines outside of fences, by what they start with: enough to see a layout that text has broken. */
function outlineOf(markdown: string): string[] {
  let fence = '';
  const outline: string[] = [];
  for (const line of markdown.split('\n')) {
    const run = /^`{3,}/.exec(line)?.[0] ?? '';
    if (fence === '' && run !== '') fence = run;
    else if (fence !== '' && line === fence) fence = '';
    else if (fence === '') outline.push(line);
  }
  return outline;
}

test('the cell and the side stand below the header of seed 000, and only where there are some', () => {
  const report = sampleReport();
  const environment = { suite: 'Hours', cell: 'Temperature=0', variant: 'baseline' };
  expect(renderMarkdown({ ...report, environment })).toContain(
    '**Duration**: 3.5s  \n**Cell**: <code>Temperature&#61;0</code>  \n**Variant**: baseline\n\n## Summary',
  );
  expect(renderMarkdown(report)).toContain('**Duration**: 3.5s\n\n## Summary');
});

test('a metric that is called as what every object inherits has no average that nobody measured', () => {
  const metric = { metric_name: 'constructor', score: null, passed: false, error: 'down', evaluation_time_ms: 1 };
  const report = sampleReport([{ outcome: { metrics: [MetricResult.parse(metric)] } }]);
  expect(renderMarkdown(report)).toContain('| constructor | n/a | n/a |');
});
