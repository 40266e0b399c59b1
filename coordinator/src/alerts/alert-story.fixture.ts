import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect } from 'vitest';
import { z } from 'zod';
import { asker } from '../graphql/ask.fixture.ts';
import { finishSuiteRun, giveUpSuiteRun } from '../judging/finish-suite-run.ts';
import { given, newRepository, openStory } from '../story.fixture.ts';
import { outbox } from '../upkeep/outbox.ts';
import { type AlertPorts, deliverAlert } from './deliver-alert.ts';
import { raiseAlert } from './raise-alerts.ts';
import { receiveMails, receiveWebhooks } from './receivers.fixture.ts';

const Channel = z.looseObject({ id: z.string(), url: z.string().nullable() });
const Made = z.object({ signingSecret: z.string().nullable(), alertChannel: Channel });
const Alerts = z.object({ edges: z.array(z.object({ node: z.looseObject({ kind: z.string() }) })) });

const nothing = () => undefined;
export const keys = { sealingKey: Buffer.alloc(32, 1), signingKey: Buffer.alloc(32, 2) };

/** A tenant with receivers of every kind, and all that is needed to raise alerts and to send them. */
export async function alertStory() {
  const { ledger, tenant } = await openStory();
  await newRepository(ledger, tenant);
  const hooks = await receiveWebhooks();
  const post = await receiveMails();
  afterAll(() => Promise.all([hooks[Symbol.asyncDispose](), post[Symbol.asyncDispose]()]));

  const mail = { url: post.url, from: 'proofmark@example.com' };
  const trusting = { ...keys, mail, allowedOrigins: new Set([hooks.origin]), feedback: null, wake: () => undefined };
  const ask = asker(ledger, { alerts: trusting });

  const answered = async (query: string, variables: object = {}): Promise<unknown> => {
    const { data, errors } = await ask(tenant.caller, query, variables);
    expect(errors).toEqual([]);
    return Object.values(data ?? {})[0];
  };

  const create = (input: object) =>
    answered(
      `mutation ($input: CreateAlertChannelInput!) { createAlertChannel(input: $input) {
      __typename ... on UserError { message }
      ... on CreateAlertChannelSuccess { signingSecret alertChannel { id name kind url events recipients timeZone } } } }`,
      { input },
    );
  const channel = async (input: object) => {
    const { signingSecret, alertChannel } = Made.parse(await create({ name: randomUUID(), ...input }));
    return { ...alertChannel, signingSecret };
  };

  /** What the log of the operator holds. */
  const warned: string[] = [];
  const ports = (more: Partial<AlertPorts> = {}): AlertPorts => ({
    ...{ ...trusting, database: ledger.database, publicUrl: 'http://proofmark.test', nowMs: Date.now },
    ...more,
  });

  /** A pass of the lane of alerts in a replica of its own, to the end of what it took. */
  async function pass(more: Partial<AlertPorts> = {}, tellAlert = deliverAlert): Promise<number> {
    const { database } = ledger;
    const lanes = outbox({
      ...{ verdicts: { database, atOnce: 1 }, deliveries: { database, atOnce: 1 }, alerts: { database, atOnce: 8 } },
      ...{ replica: randomUUID(), leaseMs: 60_000, writeIntervalMs: 20, onCompleted: nothing, wake: nothing },
      log: { warn: (facts: object) => void warned.push(JSON.stringify(facts)), error: nothing, debug: nothing },
      feedback: null,
      tellAlert: (row, signal) => tellAlert(ports(more), row, signal),
      finish: (suiteRun) => finishSuiteRun(database, suiteRun),
      giveUp: (suiteRun, why) => giveUpSuiteRun(database, suiteRun, why),
    });
    const lane = given(lanes.find(({ name }) => name === 'alerts'));
    const { taken = 0 } = await lane.run(AbortSignal.timeout(60_000));
    await lane.settled?.();
    return taken;
  }

  const raise = (kind: 'regression' | 'recovered' | 'budget' = 'budget', resolves: string | null = null) =>
    ledger.database.worker.em.fork().transactional((em) =>
      raiseAlert(em, {
        ...{ tenantId: tenant.id, kind, suiteId: null, suiteName: 'Support', cellKey: '', runId: null },
        ...{ suiteRunId: null, facts: { testRuns: 2 }, dedupeKey: randomUUID(), resolves },
      }),
    );

  const listed = async () =>
    Alerts.parse(
      await answered(
        '{ alerts { edges { node { kind title lines cellKey endedAt suite { name } run { id } deliveries { channel state reason tries nextTryAt } } } } }',
      ),
    ).edges.map(({ node }) => node);

  beforeEach(async () => {
    for (const table of ['outbox', 'alerts', 'alert_channels']) await ledger.query(`delete from ${table}`);
    warned.length = 0;
    hooks.calls.length = 0;
    hooks.answers.length = 0;
    post.mails.length = 0;
  });

  return { ledger, tenant, hooks, post, mail, trusting, ask, answered, create, channel, warned, pass, raise, listed };
}
