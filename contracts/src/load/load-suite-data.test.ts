import { describe, expect, test } from 'vitest';
import { type LineProblem, readCalibration } from './load-suite-data.ts';
import { brief, loadFiles, okCase, problemsOf, suiteOf } from './sample-files.fixture.ts';

const labelled = (count: number, label: string): string[] =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({ response: `${label} answer ${index}`, criterion: 'It names the day.', label }),
  );
const good = [...labelled(20, 'passed'), ...labelled(10, 'failed')];

const problemsIn = (lines: readonly string[]): LineProblem[] => {
  const reading = readCalibration(lines.join('\n'));
  return reading.ok ? [] : reading.problems;
};
const linesOf = (lines: readonly string[]) => problemsIn(lines).map(({ line, code, path }) => [line, code, path]);

describe('labelled answers', () => {
  test('are read with their lines, whatever the line ends and empty lines', () => {
    const reading = readCalibration(`\r\n${good.join('\r\n')}\r\n\r\n`);
    expect(reading).toMatchObject({ ok: true, answers: { length: 30, 0: { line: 2, answer: { label: 'passed' } } } });
  });

  test('may be conversations', () => {
    const transcript = [
      { role: 'user', text: 'When?' },
      { role: 'agent', text: 'On Monday.' },
    ];
    const reading = readCalibration(
      [...good, JSON.stringify({ transcript, criterion: 'x', label: 'failed' })].join('\n'),
    );
    expect(reading).toMatchObject({ ok: true, answers: { 30: { answer: { transcript } } } });
  });

  test('every wrong line is told with its number', () => {
    const wrong = [
      '{"response": "x", ',
      '[]',
      '{"response": "x", "criterion": "y", "label": "pass"}',
      '{"criterion": "y", "label": "passed"}',
      '{"response": "x", "transcript": [{"role": "agent", "text": "x"}], "criterion": "y", "label": "passed"}',
      '{"transcript": [{"role": "user", "text": "x"}], "criterion": "y", "label": "passed"}',
      '{"response": " ", "criterion": "y", "label": "passed"}',
      '{"response": "x", "criteria": "y", "label": "passed"}',
    ];
    expect(linesOf([...good, ...wrong])).toEqual([
      [31, 'parse_error', ''],
      [32, 'invalid_type', ''],
      [33, 'invalid_enum', 'label'],
      [34, 'required', ''],
      [35, 'exclusive', ''],
      [36, 'invalid_value', 'transcript'],
      [37, 'too_short', 'response'],
      [38, 'unknown_field', 'criteria'],
      [38, 'required', 'criterion'],
    ]);
  });

  test('an answer that stands there twice is told, with another label too', () => {
    const [first = ''] = good;
    expect(problemsIn([...good, first.replace('"label":"passed"', '"label":"failed"')])).toEqual([
      { line: 31, code: 'duplicate', path: '', message: 'the same answer and criterion as on line 1' },
    ]);
  });

  test('30 labels are needed, 10 of each', () => {
    const needed = '30 are needed, 10 of each';
    const told = (lines: readonly string[]) => problemsIn(lines).map(({ line, message }) => [line, message]);
    expect(told(good.slice(0, 29))).toEqual([
      [1, `too few labels: the file has 29 labels, 20 passed and 9 failed; ${needed}`],
    ]);
    expect(told([...labelled(40, 'passed'), ...labelled(9, 'failed')])).toEqual([
      [1, `too few labels: the file has 49 labels, 40 passed and 9 failed; ${needed}`],
    ]);
    expect(told([])).toEqual([[1, `too few labels: the file has 0 labels, 0 passed and 0 failed; ${needed}`]]);
  });

  test('while lines are wrong, only a number that is certainly too small is told', () => {
    expect(linesOf([...labelled(20, 'passed'), ...labelled(9, 'failed'), '{'])).toEqual([[30, 'parse_error', '']]);
    expect(linesOf([...labelled(3, 'passed'), '{'])).toEqual([
      [4, 'parse_error', ''],
      [1, 'too_short', ''],
    ]);
  });
});

describe('the calibration file of a suite', () => {
  const judge = 'judge: { ai_configuration: m, calibration_file: labels.jsonl }';
  const suite = suiteOf(`${judge}\ncases:\n${okCase}`);
  const project = 'ai_configurations: { m: { provider: openai, model: m } }';
  const load = (labels: string) =>
    loadFiles({ 'proofmark.yaml': project, 'evals/x.suite.yaml': suite, 'evals/labels.jsonl': labels });

  test('is read with the suite, which depends on it', () => {
    const { definitions, problems } = load(good.join('\n'));
    expect(problems).toEqual([]);
    expect(definitions.suites[0]?.calibration).toMatchObject({ path: 'evals/labels.jsonl', answers: { length: 30 } });
    expect(definitions.suites[0]?.dependsOn).toContain('evals/labels.jsonl');
  });

  test('has a digest of its answers, not of their layout', () => {
    const digest = (text: string) => load(text).definitions.suites[0]?.calibration?.digest;
    expect(digest(`\n${good.join('\n\n')}`)).toBe(digest(good.join('\n')));
    expect(digest(good.join('\n').replace('day', 'hour'))).not.toBe(digest(good.join('\n')));
  });

  test('with a mistake keeps the suite from running and is told at its own line', () => {
    const { definitions, problems } = load(
      [...good, '{"response": 1, "criterion": "x", "label": "passed"}'].join('\n'),
    );
    expect(definitions.suites).toEqual([]);
    expect(problems).toMatchObject([
      {
        file: 'evals/labels.jsonl',
        line: 31,
        code: 'invalid_type',
        message: '`response` must be a string, put it in quotes',
      },
    ]);
  });

  test('that is not there is told where it is named', () => {
    expect(brief(problemsOf(suite, { 'proofmark.yaml': project }))).toEqual(['3 not_found judge.calibration_file']);
  });
});
