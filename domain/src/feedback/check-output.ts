import type { Conclusion } from '@proofmark/contracts/verdict';
import { fencedBlock, inlineCode, inlineName, joinBlocks, markdownPhrase } from '../text/markdown-text.ts';
import { plainPhrase } from '../text/phrase.ts';
import { type CheckAnnotation, suiteAnnotations } from './annotations.ts';
import { changeOf, passRates, verdictCell } from './cell-text.ts';
import { caseDetails, summaryMarkdown } from './comment.ts';
import { footer } from './comment-details.ts';
import { headline, runConclusion, sortWorstFirst, suiteConclusion, suiteTitle, worstCell } from './outcome.ts';
import type { CellReport, RunReport, SuiteReport } from './run-report.ts';
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
    summary: clip(joinBlocks([cellTable(suite), verdictWords(suite), suite.diagnosis ?? '']), run),
    text: conclusion === null ? '' : clip(joinBlocks([caseDetails(only), footer(only)]), run),
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
    summary: clip(conclusion === null ? headline(run) : summaryMarkdown(run), run),
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

const mostCellRows = 30;

function cellTable(suite: SuiteReport): string {
  const cells = sortWorstFirst(suite.cells, ({ outcome }) => outcome);
  const more = cells.length > mostCellRows ? [`| +${cells.length - mostCellRows} more | | | | |`] : [];
  const rows = cells.slice(0, mostCellRows).map((cell) => {
    const { base, head } = passRates(cell);
    const name = cell.cellKey === '' ? inlineCode(suite.suiteName) : inlineCode(cell.cellKey);
    return `| ${name} | ${base} | ${head} | ${changeOf(cell)} | ${verdictCell(cell)} |`;
  });
  return [
    '| | Base | Head | Change (points, 95% interval) | Verdict |',
    '|---|--:|--:|--:|---|',
    ...rows,
    ...more,
  ].join('\n');
}

function verdictWords(suite: SuiteReport): string {
  const { verdict, detail } = worstCell(suite);
  return verdict === null
    ? (detail ?? '')
    : [verdict.paragraph, ...verdict.lines].map((phrase) => markdownPhrase(phrase)).join('\n');
}

/** What is begun and not ended at a place of a Markdown text of ours. */
interface Open {
  /** The backticks of a block of text; empty: there is none. */
  fence: string;
  folds: number;
}

function openAfter({ fence, folds }: Open, line: string): Open {
  if (fence !== '') return { fence: line === fence ? '' : fence, folds };
  const begun = /^`{3,}/.exec(line)?.[0] ?? '';
  const [opened, closed] = [/<details>/g, /<\/details>/g].map((tag) => line.match(tag)?.length ?? 0);
  return { fence: begun, folds: folds + (opened ?? 0) - (closed ?? 0) };
}

const ending = ({ fence, folds }: Open): string =>
  `${fence === '' ? '' : `\n${fence}`}${folds > 0 ? `\n${'\n</details>'.repeat(folds)}` : ''}`;

/** At most what GitHub takes, counted in bytes, cut after a whole line, with an end to whatever that line stands in. */
function clip(text: string, { detailsUrl }: RunReport): string {
  const bytesOf = (part: string): number => new TextEncoder().encode(part).length;
  if (bytesOf(text) <= maxFieldBytes) return text;
  const report = detailsUrl === null ? 'the full report' : `[the full report](${detailsUrl})`;
  const mark = `\n\n… cut here, ${report} has the rest`;
  let left = maxFieldBytes - bytesOf(mark);
  let open: Open = { fence: '', folds: 0 };
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const next = openAfter(open, line);
    left -= bytesOf(line) + 1;
    if (left < bytesOf(ending(next))) break;
    kept.push(line);
    open = next;
  }
  return `${kept.join('\n')}${ending(open)}${mark}`;
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

/** What a person may ask for on a check. GitHub sends the identifier back. */
export const buttonIdentifiers = ['confirm', 'rerun_failed', 'rerun_baseline', 'approve_fork'] as const;
export type ButtonIdentifier = (typeof buttonIdentifiers)[number];

export interface CheckButton {
  /** At most 20 characters. */
  label: string;
  /** At most 40. */
  description: string;
  identifier: ButtonIdentifier;
}

const confirm: CheckButton = {
  label: 'Confirm',
  description: 'Run all cases again on both sides',
  identifier: 'confirm',
};
const rerunFailed: CheckButton = {
  label: 'Re-run failed cases',
  description: 'For diagnosis, the verdict stays',
  identifier: 'rerun_failed',
};
const rerunBaseline: CheckButton = {
  label: 'Refresh baseline',
  description: 'Run the base again, then judge anew',
  identifier: 'rerun_baseline',
};

/** On the check of a commit that nobody with rights has looked at. */
export const approveFork: CheckButton = {
  label: 'Approve this commit',
  description: 'Run its cases with your keys, once',
  identifier: 'approve_fork',
};

/** The buttons on the check of a suite, as far as pressing them would do something; none while it is running. */
export function suiteButtons(suite: SuiteReport): CheckButton[] {
  if (suiteConclusion(suite) === null) return [];
  const { cells } = suite;
  return [
    ...(cells.some(canConfirm) ? [confirm] : []),
    ...(cells.some(({ cases }) => cases.some(({ firstFailure }) => firstFailure !== null)) ? [rerunFailed] : []),
    ...(cells.some(isOpenOnItsBase) ? [rerunBaseline] : []),
  ];
}

/** A suspicion against a base that is too old would be confirmed against that same base. */
function canConfirm({ verdict }: CellReport): boolean {
  return verdict?.word === 'suspected' && verdict.reason !== 'old_base' && verdict.confirmation === null;
}

/** More trials of the base could say more: it was compared, and not found fine. */
function isOpenOnItsBase({ verdict }: CellReport): boolean {
  const isFine = verdict === null || verdict.word === 'unchanged' || verdict.word === 'improved';
  return !isFine && verdict.baseline !== null;
}
