import { CaseFile } from '../authored/case-file.ts';
import { caseFindings } from '../authored/case-findings.ts';
import { fileFindings } from '../authored/file-findings.ts';
import { normaliseCase, normaliseFile } from '../authored/normalise-case.ts';
import { fileStem } from '../definitions/repository-path.ts';
import { FileInput, type TestCase } from '../definitions/test-case.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { conclude, type Validation } from './validation.ts';

/** Where a case comes from: a nameless one is called after its file and position, counted from 0. */
export interface CaseSource {
  file: string;
  index: number;
}

/** Judges one case on its own, without the suite that it may belong to. */
export function validateTestCase(value: unknown, source: CaseSource = { file: 'case', index: 0 }): Validation {
  const { value: parsed, folded, findings } = readShape(CaseFile, value);
  const all = [...findings, ...(isMapping(folded) ? caseFindings(folded) : [])];
  const name = `${fileStem(source.file)}#${source.index + 1}`;
  return conclude(all, () => (parsed === undefined ? {} : shownCase(normaliseCase(parsed, name))));
}

/** A tool expectation says `forbidden` only where it forbids. */
const shownCase = (testCase: TestCase): Record<string, unknown> => ({
  ...testCase,
  expected_tool_calls:
    testCase.expected_tool_calls?.map(({ forbidden, ...rest }) => (forbidden ? { ...rest, forbidden } : rest)) ?? null,
});

export function validateFileInput(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(FileInput, value);
  const all = [...findings, ...(isMapping(folded) ? fileFindings(folded, []) : [])];
  return conclude(all, () => (parsed === undefined ? {} : normaliseFile(parsed)), ['file']);
}
