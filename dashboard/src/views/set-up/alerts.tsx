import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { useAnswer } from '../../data/use-answer.ts';
import {
  PageTestAlertChannelDocument,
  SetUpAlertsDocument,
  SetUpSchedulesDocument,
} from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { Mark, Pages, When } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { cellValues, verdictWord } from '../../parts/words.ts';

/** What the clock started, and what it could not start. */
export function Schedules() {
  const [after, setAfter] = useState<string | null>(null);
  const answered = useAnswer(SetUpSchedulesDocument, { after });
  const { hasNextPage = false, endCursor = null } = answered.answer?.scheduledRuns.pageInfo ?? {};
  return (
    <>
      <h2>Schedules</h2>
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
            ({ state, reason }) => (reason === null ? state.toLowerCase() : `${state.toLowerCase()}: ${reason}`),
          ],
          [
            'Run',
            ({ run }) =>
              run === null ? (
                '–'
              ) : (
                <Link to={paths.run(run.id)}>
                  {run.verdictWord === null ? 'run' : verdictWord(run.verdictWord).text}
                </Link>
              ),
          ],
        ]}
        empty="Give a suite schedule_type: daily and schedule_time, and it runs by itself."
      />
      <Pages
        first={after === null ? null : ['Newest', () => setAfter(null)]}
        next={hasNextPage ? ['Older', () => setAfter(endCursor)] : null}
      />
    </>
  );
}

const words = (kind: string): string => kind.toLowerCase().replaceAll('_', ' ');

/** Who is told of what, and what was told. */
export function Alerts() {
  const [after, setAfter] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const answered = useAnswer(SetUpAlertsDocument, { after });
  const { hasNextPage = false, endCursor = null } = answered.answer?.alerts.pageInfo ?? {};
  const tryChannel = async (id: string): Promise<void> => {
    const asked = await ask(PageTestAlertChannelDocument, { id });
    if (!asked.ok) return setSaid(asked.message);
    const { testAlertChannel: told } = asked.answer;
    setSaid('message' in told ? told.message : 'A test alert is on its way; it appears below with what came of it.');
    await answered.reload();
  };
  return (
    <>
      <h2>Channels</h2>
      <Listed
        what="alert channels"
        answered={answered}
        rowsOf={(answer) => answer.alertChannels.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Name', ({ name, isEnabled }) => `${name}${isEnabled ? '' : ' (off)'}`],
          ['Kind', ({ kind }) => words(kind)],
          ['To', ({ url, recipients }) => (url === null ? recipients.join(', ') : (URL.parse(url)?.host ?? url))],
          ['Of', ({ suite }) => suite?.name ?? 'all suites'],
          ['Events', ({ events }) => events.map(words).join(', ')],
          [
            'Quiet',
            ({ quietFrom, quietUntil, timeZone }) =>
              quietFrom === null ? '–' : `${quietFrom} to ${quietUntil} ${timeZone ?? ''}`,
          ],
          [
            'Test',
            ({ id }) => (
              <button type="button" onClick={() => void tryChannel(id)}>
                Send a test
              </button>
            ),
          ],
        ]}
        empty="Without one nobody hears of a regression by itself. Make one with the mutation createAlertChannel."
      />
      <p role="status">{said}</p>
      <h2>What was told</h2>
      <Listed
        what="alerts"
        answered={answered}
        rowsOf={(answer) => answer.alerts.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Alert', ({ title, run }) => (run === null ? title : <Link to={paths.run(run.id)}>{title}</Link>)],
          ['Kind', ({ kind }) => (kind === 'REGRESSION' ? <Mark word={verdictWord('REGRESSED')} /> : words(kind))],
          [
            'Suite',
            ({ suiteName, cellKey }) =>
              [suiteName ?? '', cellValues(cellKey)].filter((part) => part !== '').join(' · '),
          ],
          ['When', ({ createdAt }) => <When time={createdAt} />],
          ['Until', ({ endedAt }) => (endedAt === null ? 'still so' : <When time={endedAt} />)],
          [
            'Delivered',
            ({ deliveries }) =>
              deliveries.map(({ channelId, channel, state, reason, tries }) => (
                <div key={channelId}>
                  {channel ?? 'a removed channel'}:{' '}
                  {state === 'DONE' ? 'sent' : state === 'PARKED' ? `given up after ${tries} tries` : 'to be sent'}
                  {reason !== null && `, ${reason}`}
                </div>
              )),
          ],
        ]}
        empty="None was due so far."
      />
      <Pages
        first={after === null ? null : ['Newest', () => setAfter(null)]}
        next={hasNextPage ? ['Older', () => setAfter(endCursor)] : null}
      />
    </>
  );
}
