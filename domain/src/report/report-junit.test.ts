import { expect, test } from 'vitest';
import { renderJunit } from './report-junit.ts';
import { sampleReport } from './sample-test-run.fixture.ts';

test('failures, errors and skipped tests are told apart', () => {
  const report = sampleReport([
    {},
    { name: 'wrong', outcome: { status: 'failed', tools: { matched: false, problems: [] } } },
    { name: 'broken', outcome: { status: 'error', errorMessage: 'Timeout after 30000ms', response: null } },
  ]);
  expect(renderJunit([{ ...report, skipped: [{ test_name: 'old', reason: 'draft' }] }])).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="Proofmark" tests="4" failures="1" errors="1" skipped="1" time="10.500">
      <testsuite name="Support agent" tests="4" failures="1" errors="1" skipped="1" time="10.500" timestamp="2025-11-01T14:35:00Z">
        <properties>
          <property name="agent" value="Support agent"/>
          <property name="suite" value="Support agent"/>
          <property name="variant" value="head"/>
        </properties>
        <testcase classname="Support agent" name="Business hours" time="3.500"><system-out>From 9 to 17</system-out></testcase>
        <testcase classname="Support agent" name="wrong" time="3.500"><failure type="failed" message="tools: not called as expected">tools: not called as expected</failure><system-out>From 9 to 17</system-out></testcase>
        <testcase classname="Support agent" name="broken" time="3.500"><error type="error" message="Timeout after 30000ms">Timeout after 30000ms</error></testcase>
        <testcase classname="Support agent" name="old" time="0.000"><skipped message="draft"/></testcase>
      </testsuite>
    </testsuites>
    "
  `);
});

test('characters that XML cannot hold become text and markup is escaped', () => {
  const xml = renderJunit([
    sampleReport([{ name: 'a\u0001 <b> & "c"\n]]>', outcome: { response: '\u{FFFF}\u{D800}é😀\u{202E}\u{9B}' } }]),
  ]);
  expect(xml).toContain('name="a\\u0001 &#60;b&#62; &#38; &#34;c&#34;&#10;]]&#62;"');
  expect(xml).toContain('<system-out>\\uffff\\ud800é😀\\u{202E}\\u{009B}</system-out>');
});

test('a cell and a side of a comparison are part of the name by which tools tell tests apart', () => {
  const report = sampleReport();
  const environment = { suite: 'Hours', cell: 'Temperature=0', variant: 'baseline' };
  const xml = renderJunit([{ ...report, environment }]);
  expect(xml).toContain('<testsuite name="Hours [Temperature=0] (baseline)"');
  expect(xml).toContain('classname="Hours [Temperature=0] (baseline)" name="Business hours"');
  expect(xml).toContain('<property name="cell" value="Temperature=0"/>');
});

test('every reason that is known stands below the message', () => {
  const failed = sampleReport([{ outcome: { status: 'failed', tools: { matched: false, problems: [] } } }]);
  const reasons = new Map([[0, ['tools: refund was not called', 'contains_phrases: "17" missing']]]);
  expect(renderJunit([failed], [reasons])).toContain(
    '<failure type="failed" message="tools: refund was not called">tools: refund was not called&#10;contains_phrases: &#34;17&#34; missing</failure>',
  );
});

test('repetitions have a name of their own each and stand in their order, whenever they ended', () => {
  const report = sampleReport([{ name: 'Flaky' }, { name: 'Calm' }, { name: 'Flaky' }, { name: 'Flaky' }]);
  const facts = new Map([3, 1, 2, 1].map((repetition, index) => [index, { repetition }]));
  const skipped = ['Flaky', 'Calm'].map((test_name) => ({ test_name, reason: 'budget' }));
  const namesIn = (xml: string) => [...xml.matchAll(/<testcase [^>]*? name="([^"]+)"/g)].map(([, name]) => name);
  expect(namesIn(renderJunit([{ ...report, skipped }], [], [facts]))).toEqual([
    ...['Flaky', 'Flaky #2', 'Flaky #3', 'Calm', 'Flaky #4', 'Calm #2'],
  ]);
  expect(namesIn(renderJunit([report]))).toEqual(['Flaky', 'Flaky #2', 'Flaky #3', 'Calm']);
});
