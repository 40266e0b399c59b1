import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { nameHint } from '@proofmark/contracts/near-match';
import type { Problem } from '@proofmark/contracts/problem';
import type { TestCase } from '@proofmark/contracts/test-case';
import { type RunRequest, requestProblem } from './run-request.ts';

export interface SelectedCase {
  testCase: TestCase;
  /** Position in the suite file, whatever else is selected. */
  sortOrder: number;
  /** Why the case is not run although it was asked for by name. */
  skip: string | null;
}

export type CaseSelection = Pick<RunRequest, 'cases' | 'tags' | 'difficulty'>;

/** The cases of a suite that a run is about, in suite order; those that may not run only when they are named. */
export function selectCases(cases: readonly TestCase[], selection: CaseSelection): SelectedCase[] {
  return cases
    .map((testCase, sortOrder) => ({ testCase, sortOrder, skip: whyNotRunnable(testCase) }))
    .filter(
      ({ testCase, skip }) =>
        isSelected(testCase, selection) && (skip === null || selection.cases.includes(testCase.name)),
    );
}

/** Problems of the selection as a whole: names of no case, and filters that leave nothing of any suite. */
export function selectionProblems(suites: readonly LoadedSuite[], selection: CaseSelection): Problem[] {
  const names = suites.flatMap(({ suite }) => suite.cases.map((testCase) => testCase.name));
  const unknown = selection.cases
    .filter((name) => !names.includes(name))
    .map((name) =>
      requestProblem('cases', {
        code: 'not_found',
        message: `No suite has a case named '${name}'`,
        hint: nameHint(name, names, 'There is none.'),
      }),
    );
  if (unknown.length > 0 || !isFiltered(selection)) return unknown;
  const unknownTags = tagProblems(suites, selection);
  if (suites.some(({ suite }) => selectCases(suite.cases, selection).length > 0)) return unknownTags;
  const { cases, tags, difficulty } = selection;
  const wanted = [
    cases.length > 0 ? `cases ${cases.join(', ')}` : undefined,
    tags.length > 0 ? `tags ${tags.join(', ')}` : undefined,
    difficulty === null ? undefined : `difficulty ${difficulty}`,
  ];
  const message = `No active case matches the selection (${wanted.filter((part) => part !== undefined).join('; ')})`;
  return [requestProblem(tags.length > 0 ? 'tags' : 'difficulty', { code: 'not_found', message }), ...unknownTags];
}

/** Tags that no case has: other tags may select cases all the same, but perhaps not those that were meant. */
function tagProblems(suites: readonly LoadedSuite[], { tags }: CaseSelection): Problem[] {
  const known = [...new Set(suites.flatMap(({ suite }) => suite.cases.flatMap((testCase) => testCase.tags)))];
  return tags
    .filter((tag) => !known.includes(tag))
    .map((tag) =>
      requestProblem('tags', {
        severity: 'warning',
        code: 'not_found',
        message: `No case has the tag '${tag}'`,
        hint: nameHint(tag, known, 'No case has any tag.'),
      }),
    );
}

export const isFiltered = ({ cases, tags, difficulty }: CaseSelection): boolean =>
  cases.length > 0 || tags.length > 0 || difficulty !== null;

function isSelected(testCase: TestCase, { cases, tags, difficulty }: CaseSelection): boolean {
  if (cases.length > 0 && !cases.includes(testCase.name)) return false;
  if (tags.length > 0 && !tags.some((tag) => testCase.tags.includes(tag))) return false;
  return difficulty === null || testCase.difficulty === difficulty;
}

function whyNotRunnable({ status, is_enabled }: TestCase): string | null {
  if (status !== 'active') return status;
  return is_enabled ? null : 'disabled';
}
