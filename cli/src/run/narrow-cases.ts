import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import { plural } from '@proofmark/domain/format-numbers';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { casesWithoutResult } from '@proofmark/embedded/missing-results';
import { readStoredResults } from '@proofmark/embedded/stored-results';
import { type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { keptRun } from '../arguments/kept-run.ts';
import type { RunOptions } from '../arguments/run-options.ts';
import { plain } from '../output/terminal.ts';

interface Chosen {
  request: RunRequest;
  definitions: LoadedDefinitions;
}

type Narrowed = ({ ok: true } & Chosen) | { ok: false; result: CommandResult };

type Options = Pick<RunOptions, 'filter' | 'only-failed' | 'results'>;

/** What is left of a run by `--filter` and `--only-failed`: cases by their names, and the suites that have them. */
export async function narrowCases(chosen: Chosen, options: Options, context: CommandContext): Promise<Narrowed> {
  const { filter, 'only-failed': failedIn } = options;
  if (filter.length === 0 && failedIn === undefined) return { ok: true, ...chosen };
  const failed = failedIn === undefined ? null : await failedCases(failedIn, options, context);
  if (failed !== null && !failed.ok) return failed;
  const { request, definitions } = chosen;
  const isWanted = (suite: string, name: string): boolean =>
    (failed === null || failed.cases.get(suite)?.has(name) === true) &&
    (filter.length === 0 || filter.some((text) => hasText(name, text))) &&
    (request.cases.length === 0 || request.cases.includes(name));
  const wanted = definitions.suites.map((loaded) => ({
    loaded,
    names: loaded.suite.cases.map(({ name }) => name).filter((name) => isWanted(loaded.suite.name, name)),
  }));
  const suites = wanted.filter(({ names }) => names.length > 0);
  if (suites.length === 0) return nothingLeft(failed, filter, context);
  const cases = [...new Set(suites.flatMap(({ names }) => names))];
  context.terminal.writeError(`${plural(cases.length, 'case')} ${cases.length === 1 ? 'is' : 'are'} chosen.\n`);
  return {
    ok: true,
    request: { ...request, cases },
    definitions: { ...definitions, suites: suites.map(({ loaded }) => loaded) },
  };
}

type FailedCases = { ok: true; runId: string; cases: Map<string, Set<string>> } | { ok: false; result: CommandResult };

/** By the names of suites: the cases of which a test run failed, broke, or never came to its end. */
async function failedCases(typed: string, { results }: Options, { cwd }: CommandContext): Promise<FailedCases> {
  const run = keptRun(typed, { cwd, results });
  if (run === null)
    return refused(`--only-failed: there is no run ${typed} in ${results}. \`proofmark sessions\` lists them.`);
  const stored = await readStoredResults(run.path, run.repetition);
  const missing = await casesWithoutResult(run.path, run.repetition, stored.ok ? stored.suiteRuns : []);
  if (!stored.ok && missing.length === 0) return refused(`--only-failed: ${stored.message}`);
  const failed = (stored.ok ? stored.suiteRuns : []).map(({ suiteName, trials }) => ({
    suiteName,
    caseNames: trials.flatMap(({ status, caseName }) => (status === 'failed' || status === 'error' ? caseName : [])),
  }));
  const cases = new Map<string, Set<string>>();
  for (const { suiteName, caseNames } of [...failed, ...missing]) {
    cases.set(suiteName, new Set([...(cases.get(suiteName) ?? []), ...caseNames]));
  }
  return { ok: true, runId: typed, cases };
}

const refused = (message: string): Extract<FailedCases, { ok: false }> => ({ ok: false, result: wrongUsage(message) });

function nothingLeft(
  failed: Extract<FailedCases, { ok: true }> | null,
  filter: readonly string[],
  { terminal }: CommandContext,
): Narrowed {
  const isAllFine = failed !== null && [...failed.cases.values()].every(({ size }) => size === 0);
  if (!isAllFine) {
    const words = filter.map((text) => `'${text}'`).join(' or ');
    const which = [
      filter.length === 0 ? '' : `has ${words} in its name`,
      failed === null ? '' : `did not pass in ${failed.runId}`,
    ];
    return { ok: false, result: wrongUsage(`No case ${which.filter((one) => one !== '').join(' and ')}.`) };
  }
  terminal.writeError(`Everything passed in ${plain(failed.runId)}: there is nothing to run again.\n`);
  return { ok: false, result: done(exitCodes.fine) };
}

/** Whether a name has the text: upper case is lower case, `*` is anything. */
function hasText(name: string, text: string): boolean {
  let from = 0;
  for (const part of text.toLowerCase().split('*')) {
    const at = name.toLowerCase().indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return true;
}
