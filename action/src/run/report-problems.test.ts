import type { Problem } from '@proofmark/contracts/problem';
import { expect, test } from 'vitest';
import type { Remark } from '../job/job.ts';
import { errorsOf, reportProblems } from './report-problems.ts';

const problem = (line: number, more: Partial<Problem> = {}): Problem => ({
  severity: 'error',
  code: 'required',
  file: 'a.suite.yaml',
  line,
  column: 1,
  path: 'cases',
  message: 'missing',
  ...more,
});

test('ten errors and ten warnings stand on their lines, the rest in the log', () => {
  const remarks: Remark[] = [];
  const lines: string[] = [];
  const errors = Array.from({ length: 12 }, (_, at) => problem(at + 1));
  const warnings = errors.map((one) => ({ ...one, severity: 'warning' as const }));
  reportProblems([...errors, ...warnings], {
    remark: (remark) => void remarks.push(remark),
    write: (line) => void lines.push(line),
  });
  expect(remarks).toHaveLength(20);
  expect(remarks[0]).toEqual({
    level: 'error',
    message: 'missing (at cases)',
    title: 'Proofmark: required',
    file: 'a.suite.yaml',
    line: 1,
  });
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe('error: a.suite.yaml:11:1 missing (at cases)');
});

test('only errors stop a run, each with its key and what to do', () => {
  const errors = errorsOf([problem(1, { hint: 'add one' }), problem(2, { severity: 'warning' })]);
  expect(errors).toEqual([{ file: 'a.suite.yaml', line: 1, message: 'missing (at cases); hint: add one' }]);
});
