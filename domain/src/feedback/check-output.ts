import type { Conclusion } from '@proofmark/contracts/verdict';
import { markdownPhrase } from '../text/markdown-phrase.ts';
import { fencedBlock, inlineCode, inlineName, joinBlocks } from '../text/markdown-text.ts';
import { plainPhrase } from '../text/phrase.ts';
import { type CheckAnnotation, suiteAnnotations } from './annotations.ts';
import { changeOf, passRates, verdictCell } from './cell-text.ts';
import { approveFork, type CheckButton } from './check-buttons.ts';
import { caseDetails, summaryMarkdown } from './comment.ts';
import { footer } from './comment-details.ts';
import { headline, runConclusion, suiteConclusion, suiteTitle, worstCell } from './outcome.ts';
import type { RunReport, SuiteReport } from './run-report.ts';
import { problemAnnotations } from './show-problems.ts';

/** How a check run should look. `conclusion` null: still in progress. */
export interface CheckOutput {
  conclusion: Conclusion | null;
  title: string;
  summary: string;
  text: string;
  annotations: CheckAnnotation[];
  /** Absent where nobody would notice that one is pressed. */
  buttons?: CheckButton[];
}

/** GitHub takes 65,535 bytes a field; ours stay below, cut on a line boundary. */
const maxFieldBytes = 64_000;

/** The check of one suite: all its cells, with an annotation on the line of every case that failed. */
export function suiteCheck(run: RunReport, suite: SuiteReport): CheckOutput {
  const only: RunReport = { ...run, suites: [suite], removedSuites: [] };
  const conclusion = suiteConclusion(suite);
  return {
    conclusion,
    title: suiteTitle(suite),
    summary: clip(joinBlocks([cellTable(suite), verdictWords(suite), suite.diagnosis ?? ''])),
    text: conclusion === null ? '' : clip(joinBlocks([caseDetails(only), footer(only)])),
    annotations: conclusion === null ? [] : suiteAnnotations(only, suite),
  };
}

/** The one check that a branch rule requires: the worst suite decides. */
export function aggregateCheck(run: RunReport): CheckOutput {
  if (run.awaitsApproval === true) return approvalCheck(run);
  const conclusion = runConclusion(run);
  return {
    conclusion,
    title: headline(run),
    summary: clip(conclusion === null ? headline(run) : summaryMarkdown(run)),
    text: '',
    annotations: problemAnnotations(run),
  };
}

function approvalCheck(run: RunReport): CheckOutput {
  const refusal = run.refusedApproval;
  return {
    conclusion: runConclusion(run),
    title: headline(run),
    summary: joinBlocks([
      'This commit comes from a fork or from Dependabot, whose jobs have no keys, so nothing was run.',
      ...(refusal === undefined
        ? []
        : [
            `**${inlineName(refusal.by)} approved this commit, but its run was not started.** The button may be pressed again.`,
            fencedBlock(refusal.why),
          ]),
      'Somebody who may write to this repository can read the change and press **Approve this commit**. Then its cases, instructions and tool descriptions are run once with the models, judge, gate and limits of the base; tools are only played, and a later push needs a new approval.',
    ]),
    text: '',
    annotations: [],
    buttons: [approveFork],
  };
}

function cellTable(suite: SuiteReport): string {
  const rows = suite.cells.map((cell) => {
    const { base, head } = passRates(cell);
    const name = cell.cellKey === '' ? inlineCode(suite.suiteName) : inlineCode(cell.cellKey);
    return `| ${name} | ${base} | ${head} | ${changeOf(cell)} | ${verdictCell(cell)} |`;
  });
  return ['| | Base | Head | Change (points, 95% interval) | Verdict |', '|---|--:|--:|--:|---|', ...rows].join('\n');
}

function verdictWords(suite: SuiteReport): string {
  const { verdict, detail } = worstCell(suite);
  return verdict === null
    ? (detail ?? '')
    : [verdict.paragraph, ...verdict.lines].map((phrase) => markdownPhrase(phrase)).join('\n');
}

/** At most what GitHub takes, counted in bytes, cut after a whole line. */
function clip(text: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= maxFieldBytes) return text;
  const mark = '\n\n… cut here, the full report has the rest';
  let bytes = encoder.encode(mark).length;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    bytes += encoder.encode(line).length + 1;
    if (bytes > maxFieldBytes) break;
    kept.push(line);
  }
  return `${kept.join('\n')}${mark}`;
}

/** The run in plain lines, for a terminal or a log. */
export function plainSummary(run: RunReport): string {
  const lines = run.suites.flatMap((suite) => {
    const { verdict, detail } = worstCell(suite);
    const words = verdict === null ? [detail ?? ''] : [verdict.paragraph, ...verdict.lines].map(plainPhrase);
    return [
      `${suite.suiteName}: ${suiteTitle(suite)}`,
      ...words.filter((line) => line !== '').map((line) => `  ${line}`),
    ];
  });
  const problems = (run.invalid ?? []).map(({ file, line, message }) =>
    file === '' ? message : `${file}:${line} ${message}`,
  );
  const removed = run.removedSuites ?? [];
  const names = removed.length === 0 ? [] : [`Removed suites: ${removed.map(({ suiteName }) => suiteName).join(', ')}`];
  return [`Proofmark: ${headline(run)}`, ...problems, ...lines, ...names].join('\n');
}
