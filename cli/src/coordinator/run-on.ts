import { resolve } from 'node:path';
import { type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { usableDefinitions } from '../arguments/open-definitions.ts';
import { problemText } from '../output/problem-text.ts';
import { plain } from '../output/terminal.ts';
import { narrowCases } from '../run/narrow-cases.ts';
import type { AskedRun } from '../run/run-here.ts';
import { exitCodeOf, tellRun } from '../run/tell-run.ts';
import type { FoundStored } from './find-stored.ts';
import { errorWords, type OpenCoordinator, openCoordinator } from './open-coordinator.ts';
import { type Begin, beginThere, runThere } from './run-there.ts';

type RanThere = Awaited<ReturnType<typeof runThere>>;

async function tellThere(
  ran: RanThere,
  options: Parameters<typeof tellRun>[1],
  context: CommandContext,
): Promise<CommandResult> {
  if (!ran.ok) return ran.result;
  const problem = await tellRun({ runId: ran.runId, ended: ran.ended, goOn: null }, options, context);
  if (problem !== undefined) return wrongUsage(problem);
  const code = exitCodeOf(ran.ended);
  return done(code === exitCodes.fine && ran.isUnjudged ? exitCodes.notJudged : code);
}

interface AskedThere extends AskedRun {
  /** The run of the coordinator whose answers are judged; absent: agents are asked. */
  rescores?: string;
}

/** The same definitions, executed by the runners of a coordinator. */
export async function runOn({ input, options, request, context, rescores }: AskedThere): Promise<CommandResult> {
  const opened = openCoordinator(options.coordinator, context);
  if (!opened.ok) return wrongUsage(opened.usage);
  const usable = usableDefinitions(input.positionals, context, options);
  if (!usable.ok) return usable.result;
  const { collected, definitions, warnings, files } = usable;
  if (warnings.length > 0) context.terminal.writeError(problemText(warnings, files));
  const narrowed = await narrowCases({ request, definitions }, options, context);
  if (!narrowed.ok) return narrowed.result;
  const suites = narrowed.definitions === definitions ? [] : narrowed.definitions.suites.map(({ suite }) => suite.name);
  const root = findRoot(context.cwd, input.positionals);
  const { coordinator } = opened;
  const resultsDirectory = resolve(context.cwd, options.results);
  const asked = { coordinator, collected, request: narrowed.request, suites, root, json: options.json };
  const ran = await runThere({ ...asked, resultsDirectory, ...(rescores === undefined ? {} : { rescores }) }, context);
  return await tellThere(ran, options, context);
}

/** A run of something that the coordinator has: how it is found, and how a run of it begins. */
interface StoredThing {
  find: (coordinator: OpenCoordinator) => Promise<FoundStored>;
  begin: (id: string) => Begin;
}

interface AskedOfStored extends Pick<AskedRun, 'context'> {
  options: Parameters<typeof tellRun>[1] & { coordinator?: string | undefined; results: string };
}

/** What the coordinator has already, executed by its runners and told like every other run; no file is read here. */
export async function runStored(
  { find, begin }: StoredThing,
  { options, context }: AskedOfStored,
): Promise<CommandResult> {
  const opened = openCoordinator(options.coordinator, context);
  if (!opened.ok) return wrongUsage(opened.usage);
  const { coordinator } = opened;
  const found = await find(coordinator);
  if (!found.ok) {
    if ('usage' in found) return wrongUsage(found.usage);
    const { code, isTransient } = found.error;
    context.terminal.writeError(`The run was not started (${plain(code)}): ${plain(errorWords(found.error))}\n`);
    return done(isTransient ? exitCodes.notJudged : exitCodes.wrongUsage);
  }
  const resultsDirectory = resolve(context.cwd, options.results);
  const asked = { coordinator, begin: begin(found.id), resultsDirectory, json: options.json };
  return await tellThere(await beginThere(asked, context), options, context);
}
