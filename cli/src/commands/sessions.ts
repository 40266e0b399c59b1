import { resolve } from 'node:path';
import type { ABSession } from '@proofmark/contracts/ab-session';
import { formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { renderSessionCsv } from '@proofmark/domain/session-files';
import { measureSession } from '@proofmark/domain/summarize-session';
import { type ComparisonStore, comparisonStore, ExecutionError } from '@proofmark/embedded/comparison-store';
import { type ListedRun, listKeptRuns, readListedRun, type SuiteRunEntry } from '@proofmark/embedded/list-runs';
import { z } from 'zod';
import { abComparisonAnswer, abComparisonText, measuresText, pairLine, statsText } from '../ab/tell-comparison.ts';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { parseOptions, wordOption } from '../arguments/parse-arguments.ts';
import { paint, plain, shownDocument, type Terminal, table } from '../output/terminal.ts';
import { resumeLine } from '../run/resume-run.ts';

const Options = z.object({
  results: z.string().min(1, 'must not be empty').default('results'),
  format: wordOption(['text', 'json', 'csv']).default('text'),
  'raw-cells': z.boolean().default(false),
  json: z.boolean().default(false),
});

interface Asked {
  store: ComparisonStore;
  /** Where they are, as it was typed. */
  results: string;
  format: 'text' | 'json' | 'csv';
  rawCells: boolean;
  context: CommandContext;
}

export const sessions: Command = {
  synopsis: 'list | show ID [--format text|json|csv] | note ID TEXT  [--results DIR] [--json]',
  optionHelp: [
    ['--results DIR', 'where sessions are kept, ./results by default'],
    ['--format FORMAT', 'text, json or csv'],
    ['--raw-cells', 'CSV with every character as it was, also invisible ones'],
    ['--json', 'the same as --format json'],
  ],
  options: {
    results: { type: 'string' },
    format: { type: 'string' },
    'raw-cells': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const { results, format, json, 'raw-cells': rawCells } = options.options;
    const asked = {
      store: comparisonStore(resolve(context.cwd, results)),
      results,
      format: json ? 'json' : format,
      rawCells,
      context,
    } as const;
    const [verb = 'list', id, ...more] = positionals;
    try {
      if (verb === 'list' && id === undefined) return await list(asked);
      if (verb === 'show' && id !== undefined && more.length === 0) return await show(id, asked);
      if (verb === 'note' && id !== undefined && more.length > 0) return await note(id, more.join(' '), asked);
      return wrongUsage('Type list, show ID, or note ID TEXT.');
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      return wrongUsage(error.message);
    }
  },
};

async function list({ store, results, format, context }: Asked): Promise<CommandResult> {
  const now = Date.now();
  const loaded: ABSession[] = [];
  for (const id of await store.listComparisons()) {
    const comparison = await store.loadComparison(id);
    if (comparison !== null) loaded.push(comparison);
  }
  const { terminal, cwd } = context;
  const runs = await listKeptRuns(resolve(cwd, results));
  if (format === 'json') {
    const answer = loaded.map((comparison) => ({ ...withoutResults(comparison), ...measureSession(comparison, now) }));
    terminal.write(renderAnswer({ sessions: answer, runs: runs.map(runAnswer) }));
  } else {
    const tables = [
      loaded.length === 0
        ? 'No sessions. `proofmark ab` makes one.\n'
        : table([header, ...loaded.map((comparison) => row(comparison, now))]),
      runs.length === 0 ? '' : runTable(runs, results),
    ];
    terminal.write(tables.filter((text) => text !== '').join('\n'));
  }
  return done(exitCodes.fine);
}

const header = ['SESSION', 'STARTED', 'QUESTIONS', 'ANSWERED', 'STATE', 'BASELINE', 'CANDIDATE'];

const runAnswer = ({ runId, startedAt, suiteRuns: _each, runUrl, canGoOn, ...run }: ListedRun) => ({
  run_id: runId,
  started_at: startedAt,
  run_url: runUrl,
  can_go_on: canGoOn,
  ...run,
});

const withoutResults = ({ results: _results, ...comparison }: ABSession): Omit<ABSession, 'results'> => comparison;

function row(comparison: ABSession, now: number): string[] {
  const { test_count, success_rate } = measureSession(comparison, now);
  return [
    ...[comparison.session_id, comparison.start_time, String(test_count), formatRate(success_rate * 100)],
    ...[
      comparison.end_time === null ? 'open' : 'ended',
      plain(comparison.baseline_model),
      plain(comparison.candidate_model),
    ],
  ];
}

async function show(id: string, asked: Asked): Promise<CommandResult> {
  const { store, format, rawCells, context } = asked;
  const comparison = await store.loadComparison(id);
  if (comparison === null) return await showRun(id, asked);
  const { terminal } = context;
  const now = Date.now();
  const stats = await store.loadStats(id);
  if (format === 'csv') terminal.write(shownDocument(renderSessionCsv(comparison, { rawCells }), terminal));
  else if (format === 'json') terminal.write(renderAnswer(abComparisonAnswer(comparison, stats, now)));
  else {
    const lines = comparison.results.map((result) => pairLine(result, terminal)).join('');
    terminal.write(
      `${lines}${lines === '' ? '' : '\n'}${abComparisonText(comparison, terminal, now)}${measuresText(comparison)}${statsText(stats)}`,
    );
  }
  return done(exitCodes.fine);
}

/** A run has no answers side by side: its reports do, in every form. */
async function showRun(id: string, { results, format, context: { cwd, terminal } }: Asked): Promise<CommandResult> {
  const run = await readListedRun(resolve(cwd, results), id);
  if (run === null) return unknown(id);
  if (format === 'csv') return wrongUsage(`${id} is a run. Type: proofmark report ${results}/${id} --format csv`);
  terminal.write(
    format === 'json'
      ? `${JSON.stringify({ ...runAnswer(run), suite_runs: run.suiteRuns }, null, 2)}\n`
      : runText(run, results, terminal),
  );
  return done(exitCodes.fine);
}

async function note(id: string, text: string, { store, context }: Asked): Promise<CommandResult> {
  const comparison = await store.loadComparison(id);
  if (comparison === null) return unknown(id);
  const { json } = await store.saveComparison({ ...comparison, notes: text });
  context.terminal.writeError(`Written: ${plain(json)}\n`);
  return done(exitCodes.fine);
}

const unknown = (id: string): CommandResult =>
  wrongUsage(`There is no session ${id}, and no run of that id. \`proofmark sessions list\` names all.`);

/** The runs of a folder of results as a table, and how to go on with those that never came to their end. */
function runTable(runs: readonly ListedRun[], results: string): string {
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
function runText(run: ListedRun, results: string, terminal: Terminal): string {
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
