import { may } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { SetUpAlertsDocument } from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { PagesOf, useTurning } from '../../parts/paged.tsx';
import { Mark, When } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { verdictWord } from '../../parts/words.ts';
import { alertWords, Channels } from './channels.tsx';

/** What goes on until something ends it; all others are told of a moment. */
const lasting: ReadonlySet<string> = new Set(['REGRESSION', 'NOTHING_EXECUTED']);

/** Who is told of what, and what was told. */
export function Alerts() {
  const turning = useTurning();
  const answered = useAnswer(SetUpAlertsDocument, { after: turning.after });
  return (
    <>
      {may('admin') && <Channels onTested={answered.reload} />}
      <h2>What was told</h2>
      <Listed
        what="alerts"
        answered={answered}
        rowsOf={(answer) => answer.alerts.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Alert', ({ title, run }) => (run === null ? title : <Link to={paths.run(run.id)}>{title}</Link>)],
          ['Kind', ({ kind }) => (kind === 'REGRESSION' ? <Mark word={verdictWord('REGRESSED')} /> : alertWords(kind))],
          ['When', ({ createdAt }) => <When time={createdAt} />],
          [
            'Until',
            ({ kind, endedAt }) => (endedAt !== null ? <When time={endedAt} /> : lasting.has(kind) ? 'still so' : '–'),
          ],
          [
            'Delivered',
            ({ deliveries }) =>
              deliveries.length === 0 ? (
                <span class="quiet">to nobody: no channel was for it</span>
              ) : (
                deliveries.map(({ channelId, channel, state, reason, tries, nextTryAt }) => (
                  <div class="roomy" key={channelId}>
                    {channel ?? 'a removed channel'}:{' '}
                    {state === 'DONE' ? 'sent' : state === 'PARKED' ? `given up after ${tries} tries` : 'to be sent'}
                    {reason !== null && `, ${reason}`}
                    {state === 'DUE' && nextTryAt !== null && (
                      <>
                        , next <When time={nextTryAt} />
                      </>
                    )}
                  </div>
                ))
              ),
          ],
        ]}
        empty="None was due so far."
      />
      <PagesOf turning={turning} pageInfo={answered.answer?.alerts.pageInfo} first="Newest" next="Older" />
    </>
  );
}
