import type { CaseComparison } from '@proofmark/contracts/verdict';
import { redactText } from '../text/redact-text.ts';
import { headOf, visibleText } from '../text/visible-text.ts';
import { brokenCases } from './broken-cases.ts';
import type { CaseReport, CellReport, RunReport, SuiteReport } from './run-report.ts';

/** One remark on a line of a file at the head, in the limits of GitHub's check runs. */
export interface CheckAnnotation {
  path: string;
  line: number;
  level: 'failure' | 'warning' | 'notice';
  title: string;
  message: string;
}

const maxAnnotations = 200;
const maxTitleUnits = 255;
const maxMessageUnits = 4_000;
const worstFirst = ['failure', 'warning', 'notice'];

/** One annotation for each failing case on the line of its name, or of its row: broken ones first, equal ones once. */
export function suiteAnnotations(run: RunReport, suite: SuiteReport): CheckAnnotation[] {
  const broken = new Set(brokenCases(run).map((one) => one.comparison));
  const all = suite.cells.flatMap((cell) => cell.cases.flatMap((one) => annotate({ suite, cell, one, broken }) ?? []));
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
    .toSorted((a, b) => worstFirst.indexOf(a.level) - worstFirst.indexOf(b.level) || a.line - b.line)
    .slice(0, maxAnnotations);
}

interface FailingCase {
  suite: SuiteReport;
  cell: CellReport;
  one: CaseReport;
  broken: ReadonlySet<CaseComparison>;
}

function annotate({ suite, cell, one, broken }: FailingCase): CheckAnnotation | null {
  const comparison = cell.verdict?.cases.find((candidate) => candidate.caseName === one.caseName);
  if (one.line === null || one.firstFailure === null || comparison === undefined) return null;
  const isBroken = broken.has(comparison);
  const where = cell.cellKey === '' ? '' : ` (${cell.cellKey})`;
  return {
    path: one.row?.file ?? suite.suitePath,
    line: one.row?.line ?? one.line,
    level: levelOf(comparison, isBroken),
    title: shown(`${one.caseName}${where} ${isBroken ? 'broke' : 'fails'}`, maxTitleUnits),
    message: shown(one.firstFailure, maxMessageUnits),
  };
}

function levelOf(comparison: CaseComparison, isBroken: boolean): CheckAnnotation['level'] {
  if (isBroken) return 'failure';
  return comparison.base === null ? 'notice' : 'warning';
}

/** A message of a person or a tool in the limits of an annotation. */
export const shownInAnnotation = (message: string): string => shown(message, maxMessageUnits);

/** GitHub shows both as plain text, so what is left is what a reader cannot see, and keys. */
const shown = (text: string, maxUnits: number): string => headOf(visibleText(redactText(text)), maxUnits);
