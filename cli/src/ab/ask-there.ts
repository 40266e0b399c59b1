import type { ABSession } from '@proofmark/contracts/ab-session';
import type { StartRequest } from '@proofmark/contracts/start-run-input';
import { type ComparisonStore, ExecutionError } from '@proofmark/embedded/comparison-store';
import { type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { keepComparison } from '../coordinator/compare-there.ts';
import { errorWords, openCoordinator } from '../coordinator/open-coordinator.ts';
import { startThere } from '../coordinator/run-there.ts';
import { problemText } from '../output/problem-text.ts';
import { plain } from '../output/terminal.ts';
import { readTyped, type TypedComparison, typedAt } from './open-comparison.ts';
import { pairStep } from './tell-comparison.ts';

type Asked = { ok: true; comparison: ABSession } | { ok: false; result: CommandResult };

/** Lets the runners of a coordinator ask both sides, and keeps the answers in the files of a comparison. */
export async function askThere(url: string, store: ComparisonStore, typed: TypedComparison): Promise<Asked> {
  const { options, comparisonId, root, context } = typed;
  const opened = openCoordinator(url, context);
  if (!opened.ok) return { ok: false, result: wrongUsage(opened.usage) };
  const read = readTyped(typed);
  if (!read.ok) return read;
  if ((await store.loadComparison(comparisonId)) !== null)
    return { ok: false, result: wrongUsage(`There is a session ${comparisonId} already: choose another name.`) };
  const { usable, request, baseline, candidate } = read;
  const { terminal } = context;
  if (usable.warnings.length > 0) terminal.writeError(problemText(usable.warnings, usable.files));
  const started = new Date().toISOString();
  const sideOf = (file: string | undefined, { assignments, preset }: typeof baseline) => ({
    agentPath: file === undefined ? null : (usable.agents.get(file)?.agentPath ?? null),
    ...{ assignments, preset },
  });
  const comparison: StartRequest['comparison'] = {
    baseline: sideOf(options.baseline, baseline),
    candidate: sideOf(options.candidate, candidate),
  };
  const { coordinator } = opened;
  const { collected } = usable;
  const ended = await startThere({ coordinator, collected, request, comparison, root, json: options.json }, context);
  if (!ended.ok) return ended;
  const kept = await keepComparison({
    ...{ coordinator, store, runId: ended.runId, contextTokens: options['context-tokens'] ?? 0 },
    session: {
      session_id: comparisonId,
      start_time: started,
      llms_source_path: options.candidate ?? '',
      environment: {
        ...typedAt(context),
        strategy: 'runners',
        coordinator: coordinator.url,
        run_id: ended.runId,
      },
      notes: options.notes,
    },
    onPair: (event) => {
      const { lines, isNews } = pairStep(event, terminal);
      if (isNews) terminal.writeError(lines);
    },
  });
  if (!kept.ok || kept.answer === null) {
    const why = kept.ok ? 'the run is gone' : errorWords(kept.error);
    terminal.writeError(`The answers of run ${ended.runId} cannot be read: ${plain(why)}\n`);
    return { ok: false, result: done(exitCodes.notJudged) };
  }
  if (kept.answer.results.length === 0)
    throw new ExecutionError(`Run ${ended.runId} ended before anything was answered`);
  return { ok: true, comparison: kept.answer };
}
