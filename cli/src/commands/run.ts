import { lastRun, looksLikeRun } from '@proofmark/embedded/name-run';
import { type Command, type CommandResult, wrongUsage } from '../arguments/command.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { buildRequest, RunOptions, runArguments, runHelp, valuesOf } from '../arguments/run-options.ts';
import { findSuite } from '../coordinator/find-stored.ts';
import type { OpenCoordinator } from '../coordinator/open-coordinator.ts';
import { runOn, runStored } from '../coordinator/run-on.ts';
import type { Begin } from '../coordinator/run-there.ts';
import { outputProblem } from '../output/render-reports.ts';
import { findRun } from '../run/resume-run.ts';
import { type AskedRun, runHere } from '../run/run-here.ts';

export const run: Command = {
  synopsis:
    '[paths] [--case NAME]… [--var NAME=VALUE]… [--filter TEXT]… [--only-failed [RUN]] [--compare REF|RUN] [--coordinator URL] [--suite NAME] [--resume ID] [--format FORMAT] [--output PATH] [--json]',
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
  if (options.suite !== undefined) return await runSuite(options.suite, whole);
  return options.coordinator === undefined ? await runHere(whole) : await runOn(whole);
}

/** A suite of the coordinator, as it is stored there. */
async function runSuite(suite: string, { input, options, request, context }: AskedRun): Promise<CommandResult> {
  if (input.positionals.length > 0) return wrongUsage('--suite runs what the coordinator has: leave out the paths.');
  const { cases, tags, difficulty } = request;
  const asked = { ...valuesOf(request), selection: { cases, tags, difficulty, suites: [] } };
  const found = {
    find: (coordinator: OpenCoordinator) => findSuite(coordinator, suite),
    begin:
      (suiteId: string): Begin =>
      (client, idempotencyKey) =>
        client.startStoredRun({ ...asked, idempotencyKey, suiteId }),
  };
  return await runStored(found, { options, context });
}
