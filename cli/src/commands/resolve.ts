import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { type PlannedTestRun, planRun } from '@proofmark/domain/plan-run';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { sourceWords } from '@proofmark/domain/source-words';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { refuseProblems, usableDefinitions } from '../arguments/open-definitions.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { buildRequest, RequestOptions, requestArguments, requestHelp } from '../arguments/run-options.ts';
import { problemText } from '../output/problem-text.ts';
import { paint, plain, type Terminal, table } from '../output/terminal.ts';

const Options = RequestOptions.extend({ json: z.boolean().default(false) });

export const resolve: Command = {
  synopsis: '[paths] [--var NAME=VALUE]… [--preset NAME] [--matrix NAME=a,b]… [--json]',
  optionHelp: [...requestHelp, ['--json', 'print the values as JSON']],
  options: { ...requestArguments, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const built = buildRequest(options.options);
    if (!built.ok) return wrongUsage(built.usage);
    const { json } = options.options;
    const usable = usableDefinitions(positionals, context, { json });
    if (!usable.ok) return usable.result;
    const planned = planRun({ definitions: usable.definitions, request: built.request, runSeed: 'resolve' });
    if (!planned.ok) return refuseProblems(planned.problems, { context, files: usable.files, json });
    const resolved = planned.plan.suiteRuns.map(({ suiteName, cellKey, testRuns }) => ({
      suite: suiteName,
      cell: cellKey,
      cases: testRuns.filter(({ repetition }) => repetition === 1).map(resolvedCase),
    }));
    const { terminal } = context;
    const problems = [...planned.plan.warnings, ...planned.plan.disagreements];
    if (json) terminal.write(renderAnswer({ suite_runs: resolved, problems }));
    else {
      terminal.write(resolved.map((suiteRun) => suiteRunText(suiteRun, terminal)).join('\n'));
      if (problems.length > 0) terminal.writeError(problemText(problems, usable.files));
    }
    return done(
      resolved.some(({ cases }) => cases.some(({ error }) => error !== null)) ? exitCodes.wrongUsage : exitCodes.fine,
    );
  },
};

interface ResolvedCase {
  case: string;
  variables: ResolvedVariables | null;
  error: string | null;
  skipped: string | null;
}

const resolvedCase = ({ caseName, resolvedVariables, decided }: PlannedTestRun): ResolvedCase => ({
  case: caseName,
  variables: resolvedVariables,
  error: decided?.status === 'error' ? decided.message : null,
  skipped: decided?.status === 'skipped' ? decided.reason : null,
});

function suiteRunText(
  { suite, cell, cases }: { suite: string; cell: string; cases: ResolvedCase[] },
  terminal: Terminal,
): string {
  const title = `${paint(terminal, 'bold', plain(suite))}${cell === '' ? '' : `  ${plain(cell)}`}\n`;
  return `${title}${cases.map((one) => caseText(one, terminal)).join('')}`;
}

function caseText({ case: name, variables, error, skipped }: ResolvedCase, terminal: Terminal): string {
  const rows = Object.entries(variables?.values ?? {}).map(([variable, value]) => {
    const source = variables?.sources[variable];
    return [plain(variable), plain(String(value)), `from ${source === undefined ? 'nowhere' : sourceWords[source]}`];
  });
  const notes = [
    error === null ? '' : `    ${paint(terminal, 'red', 'error')}: ${plain(error)}\n`,
    skipped === null ? '' : `    skipped: ${plain(skipped)}\n`,
    rows.length === 0 && error === null && skipped === null ? '    no variables\n' : '',
  ];
  return `  ${plain(name)}\n${table(rows, '    ')}${notes.join('')}`;
}
