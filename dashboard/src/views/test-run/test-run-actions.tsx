import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { PageRepeatTestRunDocument } from '../../operations/documents.ts';
import { Copyable } from '../../parts/pieces.tsx';
import { go, paths } from '../../parts/route.tsx';
import type { WholeTestRun } from './whole-test-run.ts';

/** The ways to try it again: here, at a terminal, or only the judging. */
export function TestRunActions({ testRun: { id } }: { testRun: WholeTestRun }) {
  const [problem, setProblem] = useState('');
  const repeat = async (): Promise<void> => {
    const asked = await ask(PageRepeatTestRunDocument, {
      input: { testRunId: id, idempotencyKey: crypto.randomUUID() },
    });
    if (!asked.ok) return setProblem(asked.message);
    const { repeatTestRun: told } = asked.answer;
    if ('run' in told) return go(paths.run(told.run.id));
    setProblem('message' in told ? told.message : 'The coordinator refused it.');
  };
  const command = `proofmark replay ${id} --coordinator ${location.origin}`;
  return (
    <section class="actions" aria-labelledby="again">
      <h2 id="again">Try it again</h2>
      <p class="buttons">
        <button type="button" onClick={() => void repeat()}>
          Repeat this test run
        </button>
        <span class="quiet">with the same seed, as a run of its own</span>
      </p>
      <h3>At a terminal</h3>
      <Copyable text={command} label="the command that repeats it" />
      <h3>Judge again</h3>
      <p class="quiet">Asks no agent: the stored answer is judged once more by the checks of then.</p>
      <Copyable text={`${command} --judge-only`} label="the command that judges it again" />
      <p role="status" class="bad">
        {problem}
      </p>
    </section>
  );
}
