import { ask, type Reply } from '../../data/ask.ts';
import { may } from '../../data/session.ts';
import {
  ConfirmSuiteRunDocument,
  type DownloadFormat,
  PageCancelRunDocument,
  PageRerunRunDocument,
  type RerunWhat,
  RunDownloadDocument,
} from '../../operations/documents.ts';
import { problemIn, useDeed, WhatCame } from '../../parts/deed.tsx';
import { go, paths } from '../../parts/route.tsx';
import { isFinal } from '../../parts/words.ts';
import type { WholeRun } from './whole-run.ts';

/** What a reader with the right to it may do with a run, and its results as files for everybody. What was refused says why. */
export function RunActions({ run, onDone }: { run: WholeRun; onDone: () => Promise<void> }) {
  const deed = useDeed();
  return (
    <section class="actions" aria-label="Actions">
      <h2>{may('runs:write') ? 'Do something' : 'Results as files'}</h2>
      {may('runs:write') && <Buttons run={run} deed={deed} onDone={onDone} />}
      <Downloads onProblem={deed.refuse} urlOf={(format) => downloadOf(run.id, format)} />
      <WhatCame of={deed} />
    </section>
  );
}

interface ButtonsProps {
  run: WholeRun;
  deed: ReturnType<typeof useDeed>;
  onDone: () => Promise<void>;
}

function Buttons({ run, deed: { act: doIt, isBusy }, onDone }: ButtonsProps) {
  const act = async (deed: () => Promise<string | null>, done: string): Promise<void> => {
    if (await doIt(deed, done)) await onDone();
  };
  const rerun = async (only: RerunWhat): Promise<string | null> => {
    const input = { runId: run.id, only, idempotencyKey: crypto.randomUUID() };
    const asked = await ask(PageRerunRunDocument, { input });
    if (asked.ok && 'run' in asked.answer.rerunRun) go(paths.run(asked.answer.rerunRun.run.id));
    return problemIn(asked, ({ rerunRun: told }) => told);
  };
  const suspected = run.suiteRuns.filter(
    ({ verdictWord: word, purpose }) => word === 'SUSPECTED' && purpose === 'FIRST',
  );
  return (
    <p class="buttons">
      {!isFinal(run.status) && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void act(
              async () => problemIn(await ask(PageCancelRunDocument, { id: run.id }), ({ cancelRun: told }) => told),
              'The run is cancelled.',
            )
          }
        >
          Cancel the run
        </button>
      )}
      {suspected.length > 0 && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() =>
            void act(async () => {
              for (const { id } of suspected) {
                const problem = problemIn(
                  await ask(ConfirmSuiteRunDocument, { id }),
                  ({ confirmSuiteRun: told }) => told,
                );
                if (problem !== null) return problem;
              }
              return null;
            }, 'All cases run again on both sides; the verdict is open until they are judged.')
          }
        >
          Confirm what is suspected
        </button>
      )}
      {isFinal(run.status) && (
        <>
          <button
            type="button"
            disabled={isBusy}
            onClick={() => void act(() => rerun('ALL'), 'A new run has started.')}
          >
            Run all again
          </button>
          {run.head.failedCases > 0 && (
            <button
              type="button"
              disabled={isBusy}
              onClick={() => void act(() => rerun('FAILED'), 'A new run has started.')}
            >
              Run what failed again
            </button>
          )}
        </>
      )}
    </p>
  );
}

async function downloadOf(id: string, format: DownloadFormat): Promise<Reply<string | null>> {
  const asked = await ask(RunDownloadDocument, { id, format });
  return asked.ok ? { ok: true, answer: asked.answer.run?.download?.url ?? null } : asked;
}

const formats = [
  ['HTML', 'report'],
  ['CSV', 'table'],
  ['JSONL', 'for programs'],
  ['JUNIT', 'for test tools'],
] as const;

/** Why there is no file behind a link; asked first, because whoever followed it would leave the page for an error. */
async function refusalOf(link: string): Promise<string | null> {
  try {
    const { ok, status } = await fetch(link, { method: 'HEAD' });
    if (ok) return null;
    return status === 413
      ? 'HTML holds at most 5,000 test runs, and there are more: take CSV, JSONL or JUnit, which have no limit, or the HTML of one suite run.'
      : `The coordinator does not hand out the file (status ${status}). Reload the page and try again.`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `The coordinator cannot be reached (${why}). Check that it runs, then try again.`;
  }
}

/** Results as files. A link is made when somebody wants it, because each holds for some minutes only. */
export function Downloads({
  urlOf,
  onProblem,
}: {
  urlOf: (format: DownloadFormat) => Promise<Reply<string | null>>;
  onProblem: (text: string) => void;
}) {
  const fetchFile = async (format: DownloadFormat): Promise<void> => {
    const asked = await urlOf(format);
    if (!asked.ok) return onProblem(asked.message);
    if (asked.answer === null) return onProblem('Nothing of it has ended yet: there are no results to download.');
    const { pathname, search } = new URL(asked.answer, location.origin);
    const problem = await refusalOf(pathname + search);
    if (problem !== null) return onProblem(problem);
    onProblem('');
    location.assign(pathname + search);
  };
  return (
    <p class="buttons">
      <span class="quiet">Download</span>
      {formats.map(([format, use]) => (
        <button key={format} type="button" onClick={() => void fetchFile(format)}>
          {format === 'JUNIT' ? 'JUnit' : format} <span class="quiet">{use}</span>
        </button>
      ))}
    </p>
  );
}
