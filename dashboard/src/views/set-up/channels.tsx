import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { useRepositoryNames, useSuiteNames } from '../../data/choices.ts';
import { useAnswer } from '../../data/use-answer.ts';
import {
  type AlertChannelKind,
  type AlertKind,
  PageCreateChannelDocument,
  PageDeleteChannelDocument,
  PageTestAlertChannelDocument,
  PageUpdateChannelDocument,
  SetUpChannelsDocument,
  type SetUpChannelsQuery,
} from '../../operations/documents.ts';
import { problemIn, useDeed, WhatCame } from '../../parts/deed.tsx';
import { Listed } from '../../parts/listed.tsx';
import { ProblemNote } from '../../parts/pieces.tsx';
import { Secret } from '../../parts/secret.tsx';

type Channel = SetUpChannelsQuery['alertChannels']['edges'][number]['node'];

/** `NEWLY_FLAKY` as people say it. */
export const alertWords = (kind: string): string => kind.toLowerCase().replaceAll('_', ' ');

const kinds: Readonly<Record<AlertChannelKind, string>> = {
  SLACK: 'Slack message',
  EMAIL: 'mail',
  GITHUB_ISSUE: 'GitHub issue',
  WEBHOOK: 'signed webhook',
};
const kindNames = Object.keys(kinds) as AlertChannelKind[];

const events: readonly AlertKind[] = ['REGRESSION', 'NOTHING_EXECUTED', 'BUDGET', 'NEWLY_FLAKY', 'RECOVERED'];

/** The ways by which people are told, to make, change, try and remove. */
export function Channels({ onTested }: { onTested: () => Promise<void> }) {
  const answered = useAnswer(SetUpChannelsDocument, {});
  const [edited, setEdited] = useState<Channel | 'new' | null>(null);
  // It stays until another is shown: nobody can read it again.
  const [signing, setSigning] = useState<Signing | null>(null);
  const deed = useDeed();
  const act = async (does: () => Promise<string | null>, done: string): Promise<void> => {
    if (await deed.act(does, done)) await answered.reload();
  };
  const tryIt = async ({ id }: Channel): Promise<void> => {
    await act(
      async () => problemIn(await ask(PageTestAlertChannelDocument, { id }), (told) => told.testAlertChannel),
      'A test alert is on its way; it appears below with what came of it.',
    );
    await onTested();
  };
  return (
    <>
      <h2>Channels</h2>
      {edited === null ? (
        <p class="buttons">
          <button type="button" onClick={() => setEdited('new')}>
            Add a channel
          </button>
        </p>
      ) : (
        <ChannelForm
          key={edited === 'new' ? 'new' : edited.id}
          channel={edited === 'new' ? null : edited}
          onLeft={() => setEdited(null)}
          onStored={async (made) => {
            setEdited(null);
            if (made !== null) setSigning(made);
            await answered.reload();
          }}
        />
      )}
      {signing !== null && (
        <div class="card" role="status">
          <p>By this the receiver of {signing.channel} checks that webhooks come from here. It is shown this once.</p>
          <Secret secret={signing.secret} label="The signing secret" />
        </div>
      )}
      <WhatCame of={deed} />
      <Listed
        what="alert channels"
        answered={answered}
        rowsOf={(answer) => answer.alertChannels.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Name', ({ name, isEnabled }) => (isEnabled ? name : <span class="quiet">{name} (off)</span>)],
          ['By', ({ kind }) => kinds[kind]],
          ['To', (channel) => targetOf(channel)],
          ['Suite', ({ suite }) => suite?.name ?? 'all suites'],
          ['Tells of', ({ events: told }) => told.map(alertWords).join(', ')],
          [
            'Quiet',
            ({ quietFrom, quietUntil, timeZone }) =>
              quietFrom === null ? '–' : `${quietFrom} to ${quietUntil} ${timeZone ?? 'UTC'}`,
          ],
          [
            '',
            (channel) => (
              <span class="buttons">
                <button
                  type="button"
                  disabled={deed.isBusy}
                  aria-label={`Send a test by ${channel.name}`}
                  onClick={() => void tryIt(channel)}
                >
                  Send a test
                </button>
                <button type="button" aria-label={`Change ${channel.name}`} onClick={() => setEdited(channel)}>
                  Change
                </button>
                <button
                  type="button"
                  disabled={deed.isBusy}
                  aria-label={`Delete ${channel.name}`}
                  onClick={() =>
                    window.confirm(`Delete the channel ${channel.name}? What waits to be told by it is never told.`) &&
                    void act(
                      async () =>
                        problemIn(
                          await ask(PageDeleteChannelDocument, { id: channel.id }),
                          (told) => told.deleteAlertChannel,
                        ),
                      `${channel.name} is gone. What it told stays below.`,
                    )
                  }
                >
                  Delete
                </button>
              </span>
            ),
          ],
        ]}
        empty="Without one nobody hears of a regression by itself."
      />
    </>
  );
}

function targetOf({ kind, url, recipients, repository }: Channel): string {
  if (kind === 'EMAIL') return recipients.join(', ');
  if (kind === 'GITHUB_ISSUE') return repository?.fullName ?? 'a repository that is gone';
  return url === null ? '–' : (URL.parse(url)?.host ?? url);
}

/** What a channel is as its form has it: every value a text. */
interface Draft {
  name: string;
  kind: AlertChannelKind;
  url: string;
  recipients: string;
  repositoryId: string;
  suiteId: string;
  events: readonly AlertKind[];
  quietFrom: string;
  quietUntil: string;
  timeZone: string;
  isEnabled: boolean;
}

const draftOf = (channel: Channel | null): Draft => ({
  name: channel?.name ?? '',
  kind: channel?.kind ?? 'SLACK',
  // The address is a secret of its own: nobody reads it back.
  url: '',
  recipients: channel?.recipients.join(', ') ?? '',
  repositoryId: channel?.repository?.id ?? '',
  suiteId: channel?.suite?.id ?? '',
  events: channel?.events ?? events,
  quietFrom: channel?.quietFrom ?? '',
  quietUntil: channel?.quietUntil ?? '',
  timeZone: channel?.timeZone ?? '',
  isEnabled: channel?.isEnabled ?? true,
});

const orNull = (text: string): string | null => (text === '' ? null : text);

function inputOf(draft: Draft) {
  const { name, kind, url, recipients, repositoryId, suiteId, quietFrom, quietUntil, timeZone, isEnabled } = draft;
  return {
    ...{ name, isEnabled, suiteId: orNull(suiteId), events: [...draft.events] },
    ...{ quietFrom: orNull(quietFrom), quietUntil: orNull(quietUntil), timeZone: orNull(timeZone) },
    ...(kind === 'EMAIL' && { recipients: recipients.split(/[\s,;]+/).filter((one) => one !== '') }),
    ...(kind === 'GITHUB_ISSUE' && { repositoryId: orNull(repositoryId) }),
    ...((kind === 'SLACK' || kind === 'WEBHOOK') && url !== '' && { url }),
  };
}

interface ChannelFormProps {
  /** Null: a new one. */
  channel: Channel | null;
  onLeft: () => void;
  /** With the secret by which its webhooks are signed, where it has just got one. */
  onStored: (made: Signing | null) => Promise<void>;
}

interface Signing {
  channel: string;
  secret: string;
}

function ChannelForm({ channel, onLeft, onStored }: ChannelFormProps) {
  const [draft, setDraft] = useState(() => draftOf(channel));
  const [repositories, suites] = [useRepositoryNames(), useSuiteNames()];
  const deed = useDeed();
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const store = async (): Promise<void> => {
    let signing: Signing | null = null;
    const isStored = await deed.act(async () => {
      if (channel !== null)
        return problemIn(
          await ask(PageUpdateChannelDocument, { input: { id: channel.id, ...inputOf(draft) } }),
          (told) => told.updateAlertChannel,
        );
      const made = await ask(PageCreateChannelDocument, { input: { kind: draft.kind, ...inputOf(draft) } });
      if (made.ok && 'signingSecret' in made.answer.createAlertChannel) {
        const secret = made.answer.createAlertChannel.signingSecret;
        signing = secret === null ? null : { channel: draft.name, secret };
      }
      return problemIn(made, (told) => told.createAlertChannel);
    }, '');
    if (isStored) await onStored(signing);
  };
  const text = (name: keyof Draft, label: string, more: { placeholder?: string; required?: boolean } = {}) => (
    <label class={name === 'url' || name === 'recipients' ? 'wide' : undefined}>
      {label}
      <input
        {...more}
        value={String(draft[name])}
        onInput={({ currentTarget }) => set({ [name]: currentTarget.value })}
      />
    </label>
  );
  return (
    <form
      class="card"
      aria-label={channel === null ? 'New channel' : `Change ${channel.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void store();
      }}
    >
      <h3>{channel === null ? 'New channel' : `Change ${channel.name}`}</h3>
      <div class="filters">
        {text('name', 'Name', { required: true })}
        <label>
          By
          <select
            value={draft.kind}
            disabled={channel !== null}
            onChange={({ currentTarget: { value } }) =>
              set({ kind: kindNames.find((one) => one === value) ?? draft.kind })
            }
          >
            {kindNames.map((kind) => (
              <option key={kind} value={kind}>
                {kinds[kind]}
              </option>
            ))}
          </select>
        </label>
        {(draft.kind === 'SLACK' || draft.kind === 'WEBHOOK') &&
          text('url', channel === null ? 'Address' : 'Address, where it is another one', {
            placeholder: 'https://…',
            required: channel === null,
          })}
        {draft.kind === 'EMAIL' && text('recipients', 'Recipients', { placeholder: 'ada@example.com', required: true })}
        {draft.kind === 'GITHUB_ISSUE' && (
          <Choice
            label="Repository"
            none="choose one"
            value={draft.repositoryId}
            onChoose={(repositoryId) => set({ repositoryId })}
            list={repositories}
            options={named(channel?.repository, repositories.rows).map(({ id, fullName }) => [id, fullName])}
          />
        )}
        <Choice
          label="Suite"
          none="all suites"
          value={draft.suiteId}
          onChoose={(suiteId) => set({ suiteId })}
          list={suites}
          options={named(channel?.suite, suites.rows).map(({ id, name }) => [id, name])}
        />
      </div>
      <fieldset class="filters">
        <legend>It tells of</legend>
        {events.map((event) => (
          <label key={event} class="inline">
            <input
              type="checkbox"
              checked={draft.events.includes(event)}
              onChange={() =>
                set({
                  events: draft.events.includes(event)
                    ? draft.events.filter((one) => one !== event)
                    : [...draft.events, event],
                })
              }
            />{' '}
            {alertWords(event)}
          </label>
        ))}
      </fieldset>
      <div class="filters">
        {text('quietFrom', 'Quiet from', { placeholder: '22:00' })}
        {text('quietUntil', 'until', { placeholder: '07:00' })}
        {text('timeZone', 'in', { placeholder: 'UTC' })}
        <label class="inline">
          <input type="checkbox" checked={draft.isEnabled} onChange={() => set({ isEnabled: !draft.isEnabled })} />{' '}
          switched on
        </label>
        <button type="submit" class="first" disabled={deed.isBusy || draft.events.length === 0}>
          {channel === null ? 'Add the channel' : 'Store the change'}
        </button>
        <button type="button" onClick={onLeft}>
          Leave it
        </button>
      </div>
      <WhatCame of={deed} />
    </form>
  );
}

/** What is chosen already stands first until it is read with the others. */
function named<One extends { id: string }>(chosen: One | null | undefined, read: readonly One[]): readonly One[] {
  return chosen == null || read.some(({ id }) => id === chosen.id) ? read : [chosen, ...read];
}

/** More than so many are found by their name, and no more than so many are shown. */
const mostAtAGlance = 50;
const mostOptions = 500;

interface ChoiceProps {
  label: string;
  none: string;
  value: string;
  onChoose: (id: string) => void;
  list: { isComplete: boolean; problem: string | null; retry: () => void };
  options: readonly (readonly [id: string, title: string])[];
}

/** One of a list that may be long. */
function Choice({ label, none, value, onChoose, list, options }: ChoiceProps) {
  const [wanted, setWanted] = useState('');
  const found = options.filter(([id, title]) => id === value || title.toLowerCase().includes(wanted.toLowerCase()));
  const unsaid = found.length - mostOptions;
  return (
    <>
      {options.length > mostAtAGlance && (
        <label>
          {label}: find by name
          <input type="search" value={wanted} onInput={({ currentTarget }) => setWanted(currentTarget.value)} />
        </label>
      )}
      <label>
        {label}
        <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          <option value="">{none}</option>
          {found.slice(0, mostOptions).map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
          {unsaid > 0 && <option disabled>{unsaid} more: find them by name</option>}
          {!list.isComplete && list.problem === null && <option disabled>more are being read…</option>}
        </select>
      </label>
      {list.problem !== null && <ProblemNote message={list.problem} onRetry={list.retry} />}
    </>
  );
}
