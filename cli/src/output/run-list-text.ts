import { formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import type { ListedRun, SuiteRunEntry } from '@proofmark/embedded/list-runs';
import { resumeLine } from '../resume-line.ts';
import { table } from './table.ts';
import { paint, plain, type Terminal } from './terminal.ts';

/** The runs of a folder of results as a table, and how to go on with those that never came to their end. */
export function runTable(runs: readonly ListedRun[], results: string): string {
  const rows = runs.map((run) => [
    ...[run.runId, run.startedAt ?? '-', run.runUrl === null ? run.state : `${run.state}, coordinator`],
    ...[`${run.executed} of ${run.planned}`, rateOf(run), plain(run.suites.join(', '))],
  ]);
  const open = runs.filter(({ canGoOn }) => canGoOn).map(({ runId }) => `${resumeLine('run', runId, results)}\n`);
  const way = open.length === 0 ? '' : `Go on with what was cut short:\n${open.map((line) => `  ${line}`).join('')}`;
  return `${table([['RUN', 'STARTED', 'STATE', 'TEST RUNS', 'PASSED', 'SUITES'], ...rows])}${way}`;
}

const rateOf = ({ executed, passed }: ListedRun): string =>
  executed === 0 ? '-' : formatRate((passed / executed) * 100);

/** One run: what each of its suites came to, where its files are, and how to go on with it. */
export function runText(run: ListedRun, results: string, terminal: Terminal): string {
  const { runId, state, executed, planned, suiteRuns, runUrl, canGoOn } = run;
  const word = state === 'ended' ? state : paint(terminal, 'yellow', state);
  const told = [
    `${paint(terminal, 'bold', runId)}: ${executed} of ${plural(planned, 'test run')}${executed === 0 ? '' : `, ${rateOf(run)} passed`}  ${word}\n`,
    ...suiteRuns.map(suiteRunLines),
    runUrl === null ? '' : `  On a coordinator: ${plain(runUrl)}\n`,
    state === 'open' ? '' : `  Reports: proofmark report ${plain(results)}/${runId}\n`,
    canGoOn ? `Go on with it: ${resumeLine('run', runId, results)}\n` : '',
  ];
  return told.join('');
}

function suiteRunLines({ suite, cell, variant, cost_usd: costUsd, verdict, ...counts }: SuiteRunEntry): string {
  const side = variant === 'head' ? '' : ` (${variant})`;
  const cost = costUsd == null ? '' : `, ${formatUsd(costUsd)}`;
  const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
  const rate = `${counts.passed} of ${counts.passed + counts.failed} passed${skipped}${cost}`;
  const title = verdict === null ? '' : `    ${plain(verdict.title)}\n`;
  return `  ${plain(suite)}${cell === '' ? '' : ` [${plain(cell)}]`}${side}: ${rate}\n${title}`;
}
