import { ask } from '../../data/ask.ts';
import { may } from '../../data/session.ts';
import { PageRepeatTestRunDocument, type RepeatWhat } from '../../operations/documents.ts';
import { problemIn, useDeed, WhatCame } from '../../parts/deed.tsx';
import { Copyable } from '../../parts/pieces.tsx';
import { go, paths } from '../../parts/route.tsx';
import type { WholeTestRun } from './whole-test-run.ts';

/** The ways to try it again: here, at a terminal, or only the judging. */
export function TestRunActions({ testRun: { id, response } }: { testRun: WholeTestRun }) {
  const deed = useDeed();
  const repeat = async (what: RepeatWhat): Promise<string | null> => {
    const input = { testRunId: id, what, idempotencyKey: crypto.randomUUID() };
    const asked = await ask(PageRepeatTestRunDocument, { input });
    if (asked.ok && 'run' in asked.answer.repeatTestRun) go(paths.run(asked.answer.repeatTestRun.run.id));
    return problemIn(asked, ({ repeatTestRun: told }) => told);
  };
  const command = `proofmark replay ${id} --coordinator ${location.origin}`;
  return (
    <section class="actions" aria-labelledby="again">
      <h2 id="again">Try it again</h2>
      {may('runs:write') && (
        <>
          <p class="buttons">
            <button
              type="button"
              disabled={deed.isBusy}
              onClick={() => void deed.act(() => repeat('ALL'), 'A run of it has started.')}
            >
              Repeat this test run
            </button>
            <span class="quiet">with the same seed, as a run of its own</span>
          </p>
          {response !== null && (
            <p class="buttons">
              <button
                type="button"
                disabled={deed.isBusy}
                onClick={() => void deed.act(() => repeat('JUDGING'), 'A run that judges it has started.')}
              >
                Judge again
              </button>
              <span class="quiet">asks no agent: this answer, by the checks and the judge of then</span>
            </p>
          )}
          <WhatCame of={deed} />
        </>
      )}
      <h3>At a terminal</h3>
      <Copyable text={command} label="the command that repeats it" />
      <Copyable text={`${command} --judge-only`} label="the command that judges its answer again" />
    </section>
  );
}
