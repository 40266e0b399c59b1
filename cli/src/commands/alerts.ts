import {
  type ChannelFieldsFragment,
  CreateChannelDocument,
  DeleteChannelDocument,
  ListAlertsDocument,
  type ListAlertsQuery,
  ListChannelsDocument,
  TestChannelDocument,
  UpdateChannelDocument,
} from '@proofmark/client/documents';
import { isRefused, refusalOf } from '@proofmark/client/refusal';
import { constantOf, wordOf } from '@proofmark/client/words';
import { AlertKind, ChannelKind } from '@proofmark/contracts/alert-message';
import { z } from 'zod';
import { wordOption } from '../arguments/parse-arguments.ts';
import { findSuite } from '../coordinator/find-stored.ts';
import {
  askOnce,
  deedOf,
  findOne,
  limitOption,
  listVerb,
  nounCommand,
  type Row,
  readList,
  shownWord,
  type VerbAnswer,
  verb,
} from '../coordinator/noun-command.ts';
import type { OpenCoordinator } from '../coordinator/open-coordinator.ts';

/* What people are told without looking, and by which ways. */

const text = z.string().min(1, 'must not be empty');

type Delivery = ListAlertsQuery['alerts']['edges'][number]['node']['deliveries'][number];

/** `team chat: done`, or why not. */
const deliveryWords = ({ channel, state, reason }: Delivery): string =>
  `${channel ?? 'a deleted channel'}: ${shownWord(state)}${reason === null || state === 'DONE' ? '' : ` (${reason})`}`;

export const alerts = nounCommand({
  name: 'alerts',
  verbs: {
    list: verb({
      does: 'list what people were told, newest first, and what came of it in each channel',
      options: {
        suite: ['NAME', 'only what is about this suite', text.optional()],
        kind: ['KIND', `only this: ${AlertKind.options.join(', ')}`, wordOption(AlertKind.options).optional()],
        limit: limitOption,
      },
      run: async ({ options: { suite, kind, limit }, coordinator }) => {
        const found = suite === undefined ? undefined : await findSuite(coordinator, suite);
        if (found?.ok === false) return found;
        const asked = { suiteId: found?.id, kind: kind && constantOf(kind) };
        const read = await readList(limit, async (cut) => {
          const sent = await coordinator.patient.ask(ListAlertsDocument, { ...asked, ...cut });
          return sent.ok ? { ok: true, answer: sent.answer.alerts } : sent;
        });
        if (!read.ok) return read;
        const things = read.answer.nodes.map((alert) => ({
          ...{ at: alert.createdAt, kind: shownWord(alert.kind), title: alert.title, ended_at: alert.endedAt },
          ...{ told: alert.deliveries.map(deliveryWords), run: alert.run?.id ?? null },
        }));
        return { ok: true, told: { things, hasMore: read.answer.hasMore } };
      },
    }),
  },
});

const findChannel = async ({ patient }: OpenCoordinator, word: string) =>
  await findOne({
    ...{ word, what: 'channel' },
    read: async (cut) => {
      const sent = await patient.ask(ListChannelsDocument, cut);
      return sent.ok ? { ok: true, answer: sent.answer.alertChannels } : sent;
    },
    nameOf: ({ name }) => name,
  });

async function enable(coordinator: OpenCoordinator, word: string, isEnabled: boolean): Promise<VerbAnswer> {
  const found = await findChannel(coordinator, word);
  if (!found.ok) return found;
  return deedOf(
    await coordinator.patient.ask(UpdateChannelDocument, { input: { id: found.id, isEnabled } }),
    ({ updateAlertChannel }) => updateAlertChannel,
    ({ alertChannel: { id, name } }) => ({
      did: isEnabled ? `${name} tells again.` : `${name} tells nothing any more.`,
      answer: { id, name, enabled: isEnabled },
    }),
  );
}

const triedForMs = 30_000;

/** What came of a test in its channel; null while it is on its way. */
async function deliveryOf({ quick }: OpenCoordinator, alertId: string, channelId: string): Promise<Delivery | null> {
  const sent = await quick.ask(ListAlertsDocument, { kind: 'TEST', first: 20 });
  const test = sent.ok ? sent.answer.alerts.edges.find(({ node }) => node.id === alertId) : undefined;
  const delivery = test?.node.deliveries.find((one) => one.channelId === channelId);
  return delivery === undefined || delivery.state === 'DUE' ? null : delivery;
}

async function tryChannel(coordinator: OpenCoordinator, word: string): Promise<VerbAnswer> {
  const found = await findChannel(coordinator, word);
  if (!found.ok) return found;
  const sent = await coordinator.patient.ask(TestChannelDocument, { id: found.id });
  if (!sent.ok) return sent;
  const begun = sent.answer.testAlertChannel;
  if (isRefused(begun)) return { ok: false, refusal: refusalOf(begun) };
  const alertId = begun.alert.id;
  for (let waitedMs = 0; waitedMs < triedForMs; waitedMs += 500) {
    const delivery = await deliveryOf(coordinator, alertId, found.id);
    if (delivery !== null) {
      const isInVain = delivery.state !== 'DONE';
      const did = isInVain ? `The test did not arrive: ${delivery.reason ?? 'nobody knows why'}` : 'The test arrived.';
      const answer = { alert: alertId, state: shownWord(delivery.state), reason: delivery.reason };
      return { ok: true, told: { did, answer, isInVain } };
    }
    await coordinator.pause(500);
  }
  const did = 'The test is still on its way. `proofmark alerts --kind test` says what comes of it.';
  return { ok: true, told: { did, answer: { alert: alertId, state: 'due', reason: null }, isInVain: true } };
}

const time = z.string().regex(/^\d\d:\d\d$/, 'must be a time such as 22:00');

/** What a channel is told when it is made, and what can be said anew. */
const about = {
  url: ['URL', 'where webhooks go', text.optional()],
  to: ['ADDRESS…', 'who gets its mails', z.array(text).optional()],
  repository: ['ID', 'where issues are opened', z.uuid('must be the id of a repository').optional()],
  suite: ['NAME', 'the only suite that it tells of; a new one tells of all of the tenant unless set', text.optional()],
  event: [
    'KIND…',
    `what it tells of, a new one of everything unless set: ${AlertKind.options.join(', ')}`,
    z.array(wordOption(AlertKind.options)).optional(),
  ],
  'quiet-from': ['HH:MM', 'when its quiet hours begin', time.optional()],
  'quiet-until': ['HH:MM', 'when they end; what came meanwhile is sent then', time.optional()],
  'time-zone': ['ZONE', 'of its quiet hours, such as Europe/Berlin; for a new one UTC unless set', text.optional()],
} as const;

type About = { -readonly [Name in keyof typeof about]: z.infer<(typeof about)[Name][2]> };

async function inputOf(coordinator: OpenCoordinator, options: About) {
  const suite = options.suite === undefined ? undefined : await findSuite(coordinator, options.suite);
  if (suite?.ok === false) return suite;
  const input = {
    ...{ url: options.url, recipients: options.to, suiteId: suite?.id, repositoryId: options.repository },
    ...{ events: options.event?.map(constantOf), timeZone: options['time-zone'] },
    ...{ quietFrom: options['quiet-from'], quietUntil: options['quiet-until'] },
  };
  return { ok: true as const, input };
}

/** What goes back to what it was when nothing had been said. */
const forgotten = {
  'all-suites': ['', 'tell of all suites of the tenant', z.boolean().default(false)],
  'all-events': ['', 'tell of everything', z.boolean().default(false)],
  'no-quiet-hours': ['', 'tell at any hour', z.boolean().default(false)],
} as const;

type Changes = About & { name?: string | undefined } & Record<keyof typeof forgotten, boolean>;

/** Two that cannot both be meant. */
function contradictionIn(options: Changes): string | undefined {
  const pairs = [
    ['all-suites', 'suite'],
    ['all-events', 'event'],
    ['no-quiet-hours', 'quiet-from'],
    ['no-quiet-hours', 'quiet-until'],
    ['no-quiet-hours', 'time-zone'],
  ] as const;
  const both = pairs.find(([all, one]) => options[all] && options[one] !== undefined);
  return both && `--${both[0]} and --${both[1]} say two things: leave out one of them.`;
}

async function changeChannel(coordinator: OpenCoordinator, word: string, options: Changes): Promise<VerbAnswer> {
  const contradiction = contradictionIn(options);
  if (contradiction !== undefined) return { ok: false, usage: contradiction };
  if (Object.values(options).every((value) => value === undefined || value === false))
    return { ok: false, usage: 'Say what to change: --url, --to, --suite, --event or another of its options.' };
  const found = await findChannel(coordinator, word);
  if (!found.ok) return found;
  const said = await inputOf(coordinator, options);
  if (!said.ok) return said;
  const input = {
    ...{ ...said.input, id: found.id, name: options.name },
    ...(options['all-suites'] ? { suiteId: null } : {}),
    ...(options['all-events'] ? { events: null } : {}),
    ...(options['no-quiet-hours'] ? { quietFrom: null, quietUntil: null, timeZone: null } : {}),
  };
  return deedOf(
    await coordinator.patient.ask(UpdateChannelDocument, { input }),
    ({ updateAlertChannel }) => updateAlertChannel,
    ({ alertChannel }) => ({
      did: `${alertChannel.name} is changed: it counts from the next alert on.`,
      answer: channelRow(alertChannel),
    }),
  );
}

const channelRow = ({ name, kind, suite, events, quietFrom, quietUntil, ...rest }: ChannelFieldsFragment): Row => ({
  ...{ name, kind: wordOf(ChannelKind.options, kind), to: rest.url ?? rest.repository?.fullName ?? rest.recipients },
  ...{ suite: suite?.name ?? null, tells_of: events.map((event) => wordOf(AlertKind.options, event)) },
  quiet: quietFrom === null ? null : `${quietFrom} to ${quietUntil} ${rest.timeZone ?? 'UTC'}`,
  ...{ enabled: rest.isEnabled, id: rest.id },
});

export const channels = nounCommand({
  name: 'channels',
  verbs: {
    list: listVerb({
      does: 'list the ways by which people are told of alerts',
      document: ListChannelsDocument,
      page: ({ alertChannels }) => alertChannels,
      row: channelRow,
    }),
    create: verb({
      takes: ['NAME'],
      does: 'make a way by which people are told; what signs its webhooks is shown this once',
      options: {
        kind: ['KIND', ChannelKind.options.join(', '), wordOption(ChannelKind.options)],
        ...about,
      },
      run: async ({ words: [name = ''], options, coordinator }) => {
        const said = await inputOf(coordinator, options);
        if (!said.ok) return said;
        const input = { ...said.input, name, kind: constantOf(options.kind) };
        return deedOf(
          await askOnce(coordinator, {
            ...{ document: CreateChannelDocument, variables: { input } },
            cure: '`proofmark channels list` shows it. Delete it, and make another.',
          }),
          ({ createAlertChannel }) => createAlertChannel,
          ({ alertChannel: { id, kind }, signingSecret }) => ({
            ...{ did: `Channel ${name} is made (${id}).`, secret: signingSecret ?? undefined },
            answer: { id, name, kind: wordOf(ChannelKind.options, kind), signing_secret: signingSecret },
          }),
        );
      },
    }),
    change: verb({
      takes: ['CHANNEL'],
      does: 'say anew where it goes, what it tells of and when; what is not typed stays, and so does its kind',
      options: { name: ['NAME', 'how it is called from now on', text.optional()], ...about, ...forgotten },
      run: async ({ words: [word = ''], options, coordinator }) => await changeChannel(coordinator, word, options),
    }),
    test: verb({
      takes: ['CHANNEL'],
      does: 'send a test by a channel, by its name or its id, and say whether it arrived',
      run: async ({ words: [word = ''], coordinator }) => await tryChannel(coordinator, word),
    }),
    disable: verb({
      takes: ['CHANNEL'],
      does: 'let it tell nothing, not even what waits',
      run: async ({ words: [word = ''], coordinator }) => await enable(coordinator, word, false),
    }),
    enable: verb({
      takes: ['CHANNEL'],
      does: 'let it tell again',
      run: async ({ words: [word = ''], coordinator }) => await enable(coordinator, word, true),
    }),
    delete: verb({
      takes: ['CHANNEL'],
      does: 'delete a channel at once; what it was told stays listed',
      run: async ({ words: [word = ''], coordinator }) => {
        const found = await findChannel(coordinator, word);
        if (!found.ok) return found;
        return deedOf(
          await coordinator.patient.ask(DeleteChannelDocument, { id: found.id }),
          ({ deleteAlertChannel }) => deleteAlertChannel,
          ({ id }) => ({ did: `Channel ${id} is deleted.`, answer: { id, deleted: true } }),
        );
      },
    }),
  },
});
