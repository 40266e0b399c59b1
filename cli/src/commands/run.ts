import { resolve } from 'node:path';
import { lastRun, looksLikeRun } from '@proofmark/embedded/name-run';
import { type Command, type CommandResult, wrongUsage } from '../arguments/command.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { buildRequest, RunOptions, runArguments, runHelp } from '../arguments/run-options.ts';
import { openCoordinator } from '../coordinator/open-coordinator.ts';
import { runOn, tellThere } from '../coordinator/run-on.ts';
import { runStored } from '../coordinator/run-there.ts';
import { outputProblem } from '../output/render-reports.ts';
import { findRun } from '../run/resume-run.ts';
import { type AskedRun, runHere } from '../run/run-here.ts';

export const run: Command = {
  synopsis:
    '[paths] [--case NAME]… [--var NAME=VALUE]… [--filter TEXT]… [--only-failed [RUN]] [--compare REF|RUN] [--coordinator URL] [--stored ID] [--resume ID] [--format FORMAT] [--output PATH] [--json]',
  optionHelp: runHelp,
  options: runArguments,
  optionalValues: { 'only-failed': { absent: lastRun, isValue: looksLikeRun } },
  run: async (typed, context) => {
    const options = parseOptions(RunOptions, typed.values);
    if (!options.ok) return wrongUsage(options.usage);
    const { resume, results } = options.options;
    if (resume === undefined) return await start({ input: typed, options: options.options, context });
    const found = await findRun({ resume, results, typed, cwd: context.cwd });
    if (!found.ok) return wrongUsage(found.message);
    // A run that goes on is asked for as it was when it began, and told as it is asked for now.
    const { input } = found.resumed;
    const merged = parseOptions(RunOptions, input.values);
    if (!merged.ok) return wrongUsage(merged.usage);
    return await start({ input, options: merged.options, context, resumed: found.resumed });
  },
};

async function start(asked: Omit<AskedRun, 'request'>): Promise<CommandResult> {
  const { options } = asked;
  const unclear = outputProblem(options);
  if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
  const built = buildRequest(options);
  if (!built.ok) return wrongUsage(built.usage);
  const whole = { ...asked, request: built.request };
  if (options.stored !== undefined) return await runOfStored(options.stored, whole);
  return options.coordinator === undefined ? await runHere(whole) : await runOn(whole);
}

/** What a coordinator has stored, executed by its runners; no file is read here. */
async function runOfStored(storedId: string, { input, options, request, context }: AskedRun): Promise<CommandResult> {
  if (input.positionals.length > 0) return wrongUsage('--stored runs what the coordinator has: leave out the paths.');
  const opened = openCoordinator(options.coordinator, context);
  if (!opened.ok) return wrongUsage(opened.usage);
  const resultsDirectory = resolve(context.cwd, options.results);
  const { coordinator } = opened;
  const ran = await runStored({ coordinator, storedId, request, resultsDirectory, json: options.json }, context);
  return await tellThere(ran, options, context);
}
