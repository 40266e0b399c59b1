import { resolve } from 'node:path';
import { type Command, type CommandInput, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { RunOptions, runArguments, runHelp } from '../arguments/run-options.ts';
import { buildRequest } from '../arguments/run-request.ts';
import { openCoordinator } from '../coordinator/open-coordinator.ts';
import { runThere } from '../coordinator/run-there.ts';
import { exitCodes } from '../exit-code.ts';
import { findRoot } from '../find-root.ts';
import { problemText } from '../output/problem-text.ts';
import { outputProblem } from '../output/render-reports.ts';
import { findRun, type ResumedRun } from '../resume-run.ts';
import { type AskedRun, runHere } from '../run-here.ts';
import { exitCodeOf } from '../run-outcome.ts';
import { tellRun } from '../tell-run.ts';
import { usableDefinitions } from './open-definitions.ts';

export const run: Command = {
  name: 'run',
  summary: 'Run suites, here or on a coordinator, and say whether the gate accepts them',
  synopsis:
    '[paths] [--case NAME]… [--var NAME=VALUE]… [--compare REF|PATH] [--coordinator URL] [--resume ID] [--format FORMAT] [--output PATH] [--json]',
  optionHelp: runHelp,
  options: runArguments,
  run: async (typed, context) => {
    const options = parseOptions(RunOptions, typed.values);
    if (!options.ok) return wrongUsage(options.usage);
    const { resume, results } = options.options;
    if (resume === undefined) return await start(typed, undefined, context);
    const found = await findRun({ resume, results, typed, cwd: context.cwd });
    return found.ok ? await start(found.resumed.input, found.resumed, context) : wrongUsage(found.message);
  },
};

/** A new run, or one that goes on, whose input is what was typed when it began. */
async function start(
  input: CommandInput,
  resumed: ResumedRun | undefined,
  context: AskedRun['context'],
): Promise<CommandResult> {
  const parsed = parseOptions(RunOptions, input.values);
  if (!parsed.ok) return wrongUsage(parsed.usage);
  const { options } = parsed;
  const unclear = outputProblem(options);
  if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
  const built = buildRequest(options);
  if (!built.ok) return wrongUsage(built.usage);
  const asked = { input, options, request: built.request, context, ...(resumed && { resumed }) };
  return options.coordinator === undefined ? await runHere(asked) : await runOn(options.coordinator, asked);
}

/** The same definitions, executed by the runners of a coordinator. */
async function runOn(url: string, { input, options, request, context }: AskedRun): Promise<CommandResult> {
  const opened = openCoordinator(url, context);
  if (!opened.ok) return wrongUsage(opened.usage);
  const usable = usableDefinitions(input.positionals, context, options);
  if (!usable.ok) return usable.result;
  const { collected, warnings, files } = usable;
  if (warnings.length > 0) context.terminal.writeError(problemText(warnings, files));
  const root = findRoot(context.cwd, input.positionals);
  const { coordinator } = opened;
  const resultsDirectory = resolve(context.cwd, options.results);
  const ran = await runThere({ coordinator, collected, request, root, resultsDirectory, json: options.json }, context);
  if (!ran.ok) return ran.result;
  const problem = await tellRun({ runId: ran.runId, ended: ran.ended, goOn: null }, options, context);
  if (problem !== undefined) return wrongUsage(problem);
  const code = exitCodeOf(ran.ended);
  return done(code === exitCodes.fine && ran.isUnjudged ? exitCodes.notJudged : code);
}
