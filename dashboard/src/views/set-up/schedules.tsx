import { useAnswer } from '../../data/use-answer.ts';
import { type ScheduleState, SetUpSchedulesDocument } from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { PagesOf, useTurning } from '../../parts/paged.tsx';
import { Mark, When } from '../../parts/pieces.tsx';
import { Link, paths, place, setSearch } from '../../parts/route.tsx';
import { verdictWord } from '../../parts/words.ts';

const words: Readonly<Record<ScheduleState, string>> = {
  STARTED: 'started',
  REFUSED: 'refused',
  WAITING: 'waits for the run before it',
  TAKEN: 'is about to start',
};
const states = Object.keys(words) as ScheduleState[];

/** What the clock started, and what it could not start. */
export function Schedules() {
  const state = states.find((one) => one === place.value.search.get('state')) ?? null;
  const turning = useTurning(state ?? '');
  const answered = useAnswer(SetUpSchedulesDocument, { after: turning.after, state });
  return (
    <>
      <h2>Schedules</h2>
      <form class="filters" aria-label="Filter the times" onSubmit={(event) => event.preventDefault()}>
        <label>
          Came to
          <select value={state ?? ''} onChange={({ currentTarget }) => setSearch({ state: currentTarget.value })}>
            <option value="">anything</option>
            {states.map((one) => (
              <option key={one} value={one}>
                {words[one]}
              </option>
            ))}
          </select>
        </label>
      </form>
      <Listed
        what="scheduled runs"
        answered={answered}
        rowsOf={(answer) => answer.scheduledRuns.edges.map(({ node }) => node)}
        keyOf={({ suiteId, dueAt }) => `${suiteId} ${dueAt}`}
        columns={[
          ['Suite', ({ suite, suiteId }) => <Link to={paths.suite(suiteId)}>{suite?.name ?? suiteId}</Link>],
          ['Due', ({ dueAt }) => <When time={dueAt} />],
          [
            'Came to',
            ({ state: one, reason }) => (
              <>
                <span class={one === 'REFUSED' ? 'bad' : ''}>{words[one]}</span>
                {reason !== null && <div class="small">{reason}</div>}
              </>
            ),
          ],
          [
            'Run',
            ({ run }) =>
              run === null ? (
                '–'
              ) : (
                <Link to={paths.run(run.id)}>
                  {run.verdictWord === null ? 'under way' : <Mark word={verdictWord(run.verdictWord)} />}
                </Link>
              ),
          ],
        ]}
        empty={
          state === null
            ? 'Give a suite schedule_type: daily and schedule_time, and it runs by itself.'
            : 'None came to that.'
        }
      />
      <PagesOf turning={turning} pageInfo={answered.answer?.scheduledRuns.pageInfo} first="Newest" next="Older" />
    </>
  );
}
