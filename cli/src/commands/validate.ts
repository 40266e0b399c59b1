import { isError, type Problem } from '@proofmark/contracts/problem';
import { plural } from '@proofmark/domain/format-numbers';
import { planRun } from '@proofmark/domain/plan-run';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import { z } from 'zod';
import { type Command, type CommandContext, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { openDefinitions } from '../arguments/open-definitions.ts';
import { parseOptions, wordOption } from '../arguments/parse-arguments.ts';
import { emptyRequest } from '../arguments/run-options.ts';
import { annotations, problemText } from '../output/problem-text.ts';
import { paint } from '../output/terminal.ts';

const Options = z.object({
  json: z.boolean().default(false),
  format: wordOption(['text', 'json', 'github']).optional(),
});

export const validate: Command = {
  synopsis: '[paths] [--format text|json|github] [--json]',
  optionHelp: [
    ['--format FORMAT', 'text, json, or github: annotations at the lines of a pull request, in a job of Actions'],
    ['--json', 'the same as --format json'],
  ],
  options: { json: { type: 'boolean' }, format: { type: 'string' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const opened = openDefinitions(positionals, context);
    if (!opened.ok) return wrongUsage(opened.usage);
    const problems = [...opened.collected.problems, ...planProblems(opened.collected)];
    const isValid = !problems.some(isError);
    const format = options.options.json ? 'json' : (options.options.format ?? 'text');
    if (format === 'json') context.terminal.write(renderAnswer(answer(opened.collected, problems)));
    else tell(opened.collected, problems, context);
    if (format === 'github') context.terminal.writeCommands(annotations(problems));
    return done(isValid ? exitCodes.fine : exitCodes.wrongUsage);
  },
};

/** What only shows when a run is planned: a model that is not configured, settings with two values. */
function planProblems({ definitions, problems }: CollectedDefinitions): Problem[] {
  if (definitions.suites.length === 0) return [];
  const planned = planRun({ definitions, request: emptyRequest, runSeed: 'validate' });
  const found = planned.ok ? [...planned.plan.warnings, ...planned.plan.disagreements] : planned.problems;
  const known = new Set(problems.map((problem) => JSON.stringify([problem.file, problem.path])));
  return found.filter((problem) => !known.has(JSON.stringify([problem.file, problem.path])));
}

const answer = ({ definitions, suitePaths }: CollectedDefinitions, problems: readonly Problem[]) => ({
  valid: !problems.some(isError),
  files: suitePaths,
  suites: definitions.suites.map(({ path, suite }) => ({ path, name: suite.name, cases: suite.cases.length })),
  problems,
});

function tell(
  { definitions, suitePaths, files }: CollectedDefinitions,
  problems: readonly Problem[],
  { terminal }: Pick<CommandContext, 'terminal'>,
): void {
  if (problems.length > 0) terminal.writeError(problemText(problems, files));
  if (problems.some(isError)) return;
  const cases = definitions.suites.flatMap(({ suite }) => suite.cases).length;
  const counts = `${plural(suitePaths.length, 'suite')}, ${plural(cases, 'case')}`;
  terminal.write(`${counts}: ${paint(terminal, 'green', 'valid')}\n`);
}
