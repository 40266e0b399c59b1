import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Variant } from '@proofmark/contracts/case-work';
import { ErrorKind } from '@proofmark/contracts/error-kind';
import { VerdictWord } from '@proofmark/contracts/gate';
import { CaseStatus, Conclusion } from '@proofmark/contracts/verdict';
import { CaseLife, RunStatus, RunTrigger, SuiteRunPurpose, TestRunState } from '@proofmark/contracts/words';
import { expect, test } from 'vitest';

/** What stands in columns of these names, in any table. */
const words: Readonly<Record<string, readonly string[]>> = {
  status: [...RunStatus.options, ...TestRunState.options, ...CaseStatus.options, ...CaseLife.options],
  variant: Variant.options,
  purpose: SuiteRunPurpose.options,
  triggered_by: RunTrigger.options,
  error_kind: ErrorKind.options,
  verdict: VerdictWord.options,
  conclusion: Conclusion.options,
};

const comparison = new RegExp(
  `\\b(${Object.keys(words).join('|')})\\b\\s*(?:=|<>|is (?:not )?distinct from|(?:not )?in)\\s*(\\('[^)]*\\)|'[^']*')`,
  'g',
);

/** Every word that the SQL of a text compares with or writes to one of these columns, as `column word`. */
const comparedIn = (text: string): string[] =>
  [...text.matchAll(comparison)].flatMap(([, column = '', list = '']) =>
    [...list.matchAll(/'([^']*)'/g)].map(([, word = '']) => `${column} ${word}`),
  );

const isKnown = (compared: string): boolean => {
  const [column = '', word = ''] = compared.split(' ');
  return words[column]?.includes(word) === true;
};

test('SQL says status, variant, purpose and the like in the words of contracts', () => {
  // The check constraints of new rows are those of the entities, which `catalogue.db.test.ts` holds against the database.
  const source = join(import.meta.dirname, '..');
  const texts = globSync('**/*.ts', { cwd: source })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(source, path), 'utf8'));
  const compared = [...new Set(texts.flatMap(comparedIn))];
  expect(compared.length).toBeGreaterThan(15);
  expect(compared.filter((one) => !isKnown(one))).toEqual([]);
});

test.each([
  ["where s.status = 'done'", ['status done']],
  ["and c.purpose in ('first', 'again')", ['purpose again']],
  ["and variant is distinct from 'base' and status <> 'completed'", ['variant base']],
])('a word that is none is found: %s', (sql, unknown) => {
  expect(comparedIn(sql).filter((one) => !isKnown(one))).toEqual(unknown);
});
