import { expect, test } from 'vitest';
import { renderJunit } from './report-junit.ts';
import { sampleReport } from './sample-test-run.ts';

test('failures, errors and skipped tests are told apart', () => {
  const report = sampleReport([
    {},
    { name: 'wrong', outcome: { status: 'failed', tools: { matched: false, problems: [] } } },
    { name: 'broken', outcome: { status: 'error', errorMessage: 'Timeout after 30000ms', response: null } },
  ]);
  expect(renderJunit([{ ...report, skipped: [{ test_name: 'old', reason: 'draft' }] }])).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="Support agent" tests="4" failures="1" errors="1" skipped="1" time="10.500" timestamp="2025-11-01T14:35:00Z">
        <testcase classname="Support agent" name="Business hours" time="3.500"><system-out>From 9 to 17</system-out></testcase>
        <testcase classname="Support agent" name="wrong" time="3.500"><failure message="tools did not match"/><system-out>From 9 to 17</system-out></testcase>
        <testcase classname="Support agent" name="broken" time="3.500"><error message="Timeout after 30000ms"/></testcase>
        <testcase classname="Support agent" name="old" time="0.000"><skipped message="draft"/></testcase>
      </testsuite>
    </testsuites>
    "
  `);
});

test('characters that XML cannot hold become text and markup is escaped', () => {
  const xml = renderJunit([
    sampleReport([{ name: 'a\u0001 <b> & "c"\n]]>', outcome: { response: '\u{FFFF}\u{D800}é😀' } }]),
  ]);
  expect(xml).toContain('name="a\\u0001 &#60;b&#62; &#38; &#34;c&#34;&#10;]]&#62;"');
  expect(xml).toContain('<system-out>\\uffff\\ud800é😀</system-out>');
});
