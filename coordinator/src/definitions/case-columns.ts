import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { TestCase } from '@proofmark/contracts/test-case';
import { sql } from 'kysely';
import type { Columns } from '../database/unnest.ts';
import { leanCase } from './lean-case.ts';
import type { ListedCase } from './settle-homes.ts';

export interface CaseRow {
  suiteId: string;
  suiteName: string;
  testCase: TestCase;
  sortOrder: number;
  line: number | null;
  /** The file that it is written in, when that is not its suite's. */
  file: string | null;
}

/** The columns of a case that come from its definition. */
export const caseColumns: Columns<CaseRow> = {
  suite_id: { type: 'uuid', of: ({ suiteId }) => suiteId },
  name: { type: 'text', of: ({ testCase }) => testCase.name },
  description: { type: 'text', of: ({ testCase }) => testCase.description },
  kind: { type: 'text', of: ({ testCase }) => testCase.kind },
  question: { type: 'text', of: ({ testCase }) => testCase.input },
  expected_behavior: { type: 'jsonb', of: ({ testCase }) => testCase.expected_behavior },
  sort_order: { type: 'int4', of: ({ sortOrder }) => sortOrder },
  is_enabled: { type: 'bool', of: ({ testCase }) => testCase.is_enabled },
  persona: { type: 'jsonb', of: ({ testCase }) => testCase.persona },
  initial_message: { type: 'text', of: ({ testCase }) => testCase.initial_message },
  user_context: { type: 'jsonb', of: ({ testCase }) => testCase.user_context },
  max_turns: { type: 'int4', of: ({ testCase }) => testCase.max_turns },
  expected_outcomes: { type: 'jsonb', of: ({ testCase }) => testCase.expected_outcomes },
  expected_tool_calls: { type: 'jsonb', of: ({ testCase }) => testCase.expected_tool_calls },
  evaluation_criteria_override: { type: 'text', of: ({ testCase }) => testCase.evaluation_criteria_override },
  // An array of arrays would have to be rectangular: tags travel as JSON.
  tags: { type: 'jsonb', of: ({ testCase }) => testCase.tags },
  difficulty: { type: 'text', of: ({ testCase }) => testCase.difficulty },
  status: { type: 'text', of: ({ testCase }) => testCase.status },
  variables: { type: 'jsonb', of: ({ testCase }) => testCase.variables },
  definition: { type: 'jsonb', of: ({ testCase }) => leanCase(testCase) },
  case_key: { type: 'text', of: ({ suiteName, testCase }) => canonicalJson([suiteName, testCase.name]) },
  line: { type: 'int4', of: ({ line }) => line },
  file: { type: 'text', of: ({ file }) => file },
};

/** What of a case its home suite says, and not the file that it is written in. */
export const placeColumns: readonly string[] = ['suite_id', 'sort_order', 'case_key', 'line', 'file'];

/** What the columns become of a batch with this alias. */
export const caseValues = (alias: string, columns: readonly string[] = Object.keys(caseColumns)) =>
  columns.map((name) =>
    name === 'tags'
      ? sql`case when ${sql.ref(`${alias}.tags`)} = '[]' then '{}' else array(select jsonb_array_elements_text(${sql.ref(`${alias}.tags`)})) end`
      : sql.ref(`${alias}.${name}`),
  );

/** A case as one suite lists it. */
export type ListedRow = CaseRow & ListedCase;
