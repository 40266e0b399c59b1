import type { Problem } from '@proofmark/contracts/problem';
import { expect, test } from 'vitest';
import { annotations } from './problem-text.ts';

const problem: Problem = {
  severity: 'error',
  code: 'unknown_field',
  file: 'evals/a.suite.yaml',
  line: 3,
  column: 5,
  path: 'cases.0.nam',
  message: 'unknown key `nam`, did you mean `name`?',
};

test('a problem is a command that names its file, line and column', () => {
  expect(annotations([problem, { ...problem, severity: 'warning', hint: 'Rename it.' }])).toBe(
    '::error file=evals/a.suite.yaml,line=3,col=5,title=Proofmark%3A unknown_field::unknown key `nam`, did you mean `name`? (at cases.0.nam)\n' +
      '::warning file=evals/a.suite.yaml,line=3,col=5,title=Proofmark%3A unknown_field::unknown key `nam`, did you mean `name`? (at cases.0.nam)%0ARename it.\n',
  );
});

test('text of a file starts no command of its own (A6)', () => {
  const text = annotations([
    { ...problem, file: 'a,line=9::x\n.yaml', message: '50%\r\n::set-output name=x::y\u001B[31m' },
  ]);
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toContain('file=a%2Cline=9%3A%3Ax%0A.yaml,line=3');
  expect(text).toContain('50%25%0D%0A::set-output name=x::y\uFFFD[31m');
});
