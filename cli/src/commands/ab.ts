import { resolve } from 'node:path';
import type { ABSession } from '@proofmark/contracts/ab-session';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { sessionFileName } from '@proofmark/domain/session-files';
import { type ComparisonStore, comparisonStore, ExecutionError } from '@proofmark/embedded/comparison-store';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import { lockComparison, type OpenedComparison } from '@proofmark/embedded/open-comparison';
import { askThere } from '../ab/ask-there.ts';
import { openComparison, rootOf } from '../ab/open-comparison.ts';
import { abComparisonAnswer, abComparisonText, exitCodeOfComparison, pairStep } from '../ab/tell-comparison.ts';
import { AbOptions, abArguments, abHelp, contradiction } from '../arguments/ab-options.ts';
import { type Command, type CommandContext, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { openProgress } from '../output/progress.ts';
import { plain } from '../output/terminal.ts';
import { newId, resumeLine } from '../run/resume-run.ts';

export const ab: Command = {
  synopsis:
    '[paths] --candidate FILE | --candidate-var NAME=VALUE | --resume ID [--concurrent] [--coordinator URL] [--json]',
  optionHelp: abHelp,
  options: abArguments,
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(AbOptions, values);
    if (!options.ok) return wrongUsage(options.usage);
    const wrong = contradiction(values, positionals);
    if (wrong !== undefined) return wrongUsage(wrong);
    const keys = readModelKeys();
    if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
    const { results, json } = options.options;
    const { baseline, candidate } = options.options;
    const agentFiles = [baseline, candidate].filter((path) => path !== undefined);
    const root = findRoot(context.cwd, [...positionals, ...agentFiles]);
    const resultsDirectory = resolve(context.cwd, results);
    const store = comparisonStore(resultsDirectory);
    const { resume, session: named } = options.options;
    const comparisonId = resume ?? named ?? newId(new Date());
    try {
      await using lock = await lockComparison({ resultsDirectory, comparisonId, isResumed: resume !== undefined });
      if (!lock.ok) return wrongUsage(`${lock.reason}.`);
      const typed = { paths: positionals, options: options.options, comparisonId, root, resultsDirectory, context };
      const there = options.options.coordinator;
      if (there !== undefined) {
        const asked = await askThere(there, store, typed);
        if (!asked.ok) return asked.result;
        await tell(asked.comparison, { store, results, json, context, canGoOn: false });
        return done(exitCodeOfComparison(asked.comparison, { isInterrupted: context.signal.aborted }));
      }
      const opened = await openComparison(store, typed);
      if (!opened.ok) return opened.result;
      const comparison = await execute(opened, { store, keys: keys.keys, context, root: rootOf(opened.plan, typed) });
      const isInterrupted = comparison.end_time === null;
      await tell(comparison, { store, results, json, context, canGoOn: isInterrupted });
      return done(exitCodeOfComparison(comparison, { isInterrupted }));
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      context.terminal.writeError(`proofmark ab: ${plain(error.message)}\n`);
      return done(exitCodes.notJudged);
    }
  },
};

interface Execution {
  store: ComparisonStore;
  keys: ModelKeys;
  context: CommandContext;
  /** The project of the chosen paths: where the files of cases lie. */
  root: string;
}

async function execute(
  { comparison, plan }: Extract<OpenedComparison, { ok: true }>,
  { store, keys, context, root }: Execution,
): Promise<ABSession> {
  const { terminal, signal } = context;
  // Loaded late: models and drivers take longer to load than everything else together.
  const [{ runComparison }, { openOwnPorts }] = await Promise.all([
    import('@proofmark/embedded/run-comparison'),
    import('@proofmark/embedded/case-ports'),
  ]);
  const progress = openProgress(terminal, { nowMs: () => performance.now(), signal });
  try {
    await using open = openOwnPorts({ keys, root });
    return await runComparison({
      store,
      comparison,
      plan,
      ports: open.ports,
      signal,
      onPair: (event) => progress.step(pairStep(event, terminal)),
    });
  } finally {
    progress.end();
  }
}

async function tell(
  comparison: ABSession,
  {
    store,
    results,
    json,
    canGoOn,
    context: { terminal },
  }: Omit<Execution, 'keys' | 'root'> & { results: string; json: boolean; canGoOn: boolean },
): Promise<void> {
  const now = Date.now();
  const { session_id: id } = comparison;
  const goOn = canGoOn ? `Go on with it: ${resumeLine('ab', id, results)}\n` : '';
  if (json) {
    const answer = abComparisonAnswer(comparison, await store.loadStats(id), now);
    terminal.write(renderAnswer(answer));
    terminal.writeError(goOn);
    return;
  }
  const files = [sessionFileName(id, 'json'), sessionFileName(id, 'csv'), id].map((name) => `${results}/${name}`);
  terminal.write(`\n${abComparisonText(comparison, terminal, now)}Session: ${plain(files.join(', '))}\n${goOn}`);
}
