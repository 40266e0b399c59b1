import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { may } from '../../data/session.ts';
import { UpdateRunNotesDocument } from '../../operations/documents.ts';
import type { WholeRun } from './whole-run.ts';

/** What was to be told to the forge and is not, with the reason. */
export function Reporting({ run: { reporting } }: { run: WholeRun }) {
  const late = reporting.filter(({ state }) => state !== 'DONE');
  if (late.length === 0) return null;
  return (
    <section>
      <h2>Not yet on the forge</h2>
      <ul class="card rows">
        {late.map(({ kind, name, state, reason, tries }) => (
          <li key={`${kind} ${name}`}>
            <div class="what">
              {kind === 'GITHUB_COMMENT' ? 'The comment' : `The check ${name}`}{' '}
              {state === 'PARKED' ? `is given up after ${tries} tries` : 'is still to be written'}
              {reason !== null && <p class="why">{reason}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A remark for whoever looks at the run later. */
export function Notes({ run }: { run: WholeRun }) {
  if (may('runs:write')) return <NotesToWrite run={run} />;
  if (run.notes === null) return null;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <p class="card reason">{run.notes}</p>
    </section>
  );
}

function NotesToWrite({ run }: { run: WholeRun }) {
  const [text, setText] = useState(run.notes ?? '');
  const [said, setSaid] = useState('');
  const save = async (): Promise<void> => {
    const asked = await ask(UpdateRunNotesDocument, { id: run.id, notes: text === '' ? null : text });
    if (!asked.ok) return setSaid(asked.message);
    const { updateRunNotes: told } = asked.answer;
    setSaid('message' in told ? told.message : 'Saved.');
  };
  return (
    <section>
      <h2>
        <label for="notes">Notes</label>
      </h2>
      <textarea id="notes" rows={2} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      <p class="buttons">
        <button type="button" onClick={() => void save()}>
          Save the notes
        </button>
        <span role="status">{said}</span>
      </p>
    </section>
  );
}
