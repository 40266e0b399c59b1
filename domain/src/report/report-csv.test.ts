import { describe, expect, test } from 'vitest';
import { csvText } from '../text/csv-text.ts';
import { renderCsv } from './report-csv.ts';
import { sampleReport } from './sample-test-run.fixture.ts';

describe('csvText', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['  =cmd', "'  =cmd"],
    ['"=1', `"'""=1"`],
    ["';+1", "'';+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    ['-2+3', "'-2+3"],
    ['\t=1', "'\t=1"],
  ])('S3-105 the formula-like cell %j is made harmless', (cell, written) => {
    expect(csvText([[cell]])).toBe(`${written}\r\n`);
  });

  test('finite numbers stay numbers', () => {
    expect(csvText([[-20, '-20', '+1.5e3', '-250.13']])).toBe('-20,-20,+1.5e3,-250.13\r\n');
  });

  test('commas, quotes and line breaks are quoted, null is an empty cell', () => {
    expect(csvText([['a,b', 'say "x"', 'a\nb', null, true]])).toBe('"a,b","say ""x""","a\nb",,true\r\n');
  });
});

test('C52 what nobody can see is spelled out, unless the cells are raw, and formulas are guarded in both', () => {
  const hidden = 'a\u{202E}b\u{E0041}c\u0085d\u0007e\r\nf\tg';
  expect(csvText([[hidden, '\u200B=1']])).toBe('"a\\u{202E}b\\u{E0041}c\\u{0085}d\\u{0007}e\nf\tg",\\u{200B}=1\r\n');
  expect(csvText([[hidden, '=1']], { rawCells: true })).toBe(`"${hidden}",'=1\r\n`);
});

describe('renderCsv', () => {
  test('a row per test run and a column per metric', () => {
    const metric = { metric_name: 'fluency', score: 0.5, threshold: null, passed: true, scale: null, error: null };
    const metrics = [{ ...metric, retry_count: 0, evaluation_time_ms: 1, model_used: null }];
    expect(
      renderCsv([sampleReport([{ outcome: { metrics } }, { name: 'b', outcome: { response: '=x' } }])]),
    ).toMatchInlineSnapshot(`
      "agent_name,suite,cell,variant,test_name,passed,errors,execution_time_ms,tool_calls,tools_matched,metrics_passed,metrics_total,test_input,agent_response,ground_truth,timestamp,metric_errors,score_fluency
      Support agent,Support agent,,head,Business hours,true,,3500,,,1,1,When are you open?,From 9 to 17,,2025-11-01T14:30:00.000Z,,0.5
      Support agent,Support agent,,head,b,true,,3500,,,0,0,When are you open?,'=x,,2025-11-01T14:30:00.000Z,,
      "
    `);
  });
});
