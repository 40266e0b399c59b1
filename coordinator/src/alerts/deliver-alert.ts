import { createHmac } from 'node:crypto';
import { AlertMessage, ChannelKind } from '@proofmark/contracts/alert-message';
import { describeAlert } from '@proofmark/domain/describe-alert';
import { sql } from 'kysely';
import { z } from 'zod';
import { chaosPoint } from '../database/chaos.ts';
import { askAsWorker, type Database } from '../database/transactions.ts';
import type { DeliveryResult, FeedbackPort } from '../feedback/feedback-port.ts';
import { openText } from './sealed-text.ts';
import { type MailSettings, sendMail } from './send-mail.ts';
import { type SendingPorts, sendWebhook, slackBody } from './send-webhook.ts';

/** What channels are told with: everything that the operator has and tenants have not. */
export interface AlertPorts extends SendingPorts {
  database: Database;
  feedback: Pick<FeedbackPort, 'deliver'> | null;
  /** Null: no mail server is configured. */
  mail: MailSettings | null;
  publicUrl: string;
  /** Addresses are sealed with it. */
  sealingKey: Buffer;
  /** The secrets of webhooks are derived from it. */
  signingKey: Buffer;
}

/** A row of the outbox that is about an alert. */
export interface AlertRow {
  tenantId: string;
  id: string;
  alertId: string;
  subject: unknown;
  externalId: string | null;
  tries: number;
}

const Subject = z.object({ channelId: z.uuid() });

const Told = z.object({
  kind: AlertMessage.shape.kind,
  suite: z.string().nullable(),
  suiteId: z.string().nullable(),
  cellKey: z.string(),
  runId: z.string().nullable(),
  suiteRunId: z.string().nullable(),
  facts: AlertMessage.shape.facts,
  createdAt: z.string(),
  /** The issue that was opened when it began. */
  openIssue: z.string().nullable(),
  channel: z.object({
    id: z.string(),
    kind: ChannelKind,
    isEnabled: z.boolean(),
    recipients: z.array(z.string()),
    sealedUrl: z.string().nullable(),
    repository: z.object({ host: z.string(), externalId: z.string(), fullName: z.string() }).nullable(),
  }),
});
type Told = z.infer<typeof Told>;

/**
 * Tells a channel of an alert. A receiver may get the same twice, when a coordinator dies between sending and noting it: a
 * webhook knows it by its id, a mail by its message id, an issue is looked for before it is opened. Slack knows nothing.
 */
export async function deliverAlert(ports: AlertPorts, row: AlertRow, signal: AbortSignal): Promise<DeliveryResult> {
  const told = await readTold(ports.database, row);
  if (told === null) return { state: 'parked', reason: 'the channel or the alert was deleted', isFinal: true };
  if (!told.channel.isEnabled && told.kind !== 'test')
    return { state: 'parked', reason: 'the channel is disabled', isFinal: true };
  await chaosPoint('before_alert_send');
  const result = await send(ports, row, told, signal);
  await chaosPoint('after_alert_send_before_mark');
  return result;
}

async function send(ports: AlertPorts, row: AlertRow, told: Told, signal: AbortSignal): Promise<DeliveryResult> {
  const message = messageOf(ports.publicUrl, row.alertId, told);
  switch (told.channel.kind) {
    case 'webhook':
    case 'slack':
      return await sendToUrl(ports, row, told, message);
    case 'email': {
      if (ports.mail === null) return parked(noMailServer);
      const messageId = `<${row.alertId}.${told.channel.id}@${new URL(ports.publicUrl).hostname}>`;
      return await sendMail(ports.mail, { to: told.channel.recipients, message, messageId, tries: row.tries });
    }
    case 'github_issue':
      return await tellIssue(ports, row, { told, message, signal });
  }
}

/** By these words mails are found again, once there is one. */
export const noMailServer = 'no mail server is configured: PROOFMARK_SMTP_URL';

/** Until somebody gives the coordinator what it lacks. */
const parked = (reason: string): DeliveryResult => ({ state: 'parked', reason });

async function sendToUrl(
  ports: AlertPorts,
  row: AlertRow,
  { channel }: Told,
  message: AlertMessage,
): Promise<DeliveryResult> {
  const url = channel.sealedUrl === null ? null : openText(ports.sealingKey, channel.sealedUrl);
  if (url === null)
    return parked('its address was stored under another PROOFMARK_SECRET; set the address of the channel again');
  const isSlack = channel.kind === 'slack';
  const call = {
    ...{ url, deliveryId: row.id, tries: row.tries },
    body: isSlack ? slackBody(message) : JSON.stringify(message),
    secret: isSlack ? null : webhookSecret(ports.signingKey, channel.id),
  };
  return await sendWebhook(call, ports);
}

/** The secret by which the receiver of a channel knows that a webhook is ours: it is stored nowhere. */
export const webhookSecret = (signingKey: Buffer, channelId: string): Buffer =>
  createHmac('sha256', signingKey).update(channelId).digest();

async function tellIssue(
  { feedback }: AlertPorts,
  row: AlertRow,
  { told, message, signal }: { told: Told; message: AlertMessage; signal: AbortSignal },
): Promise<DeliveryResult> {
  const { repository } = told.channel;
  if (feedback === null || repository === null) return parked('no App is configured');
  const { tenantId, id, externalId, tries } = row;
  const { title, lines, url } = message;
  const subject = { repository, key: message.id, title, lines, url, closes: numberOf(told) };
  if (message.kind === 'recovered' && subject.closes === null) return { state: 'done', externalId: null };
  return await feedback.deliver({ kind: 'github-issue', tenantId, id, subject, externalId, tries }, signal);
}

const numberOf = ({ openIssue }: Told): number | null => (openIssue === null ? null : Number(openIssue));

function messageOf(publicUrl: string, alertId: string, { kind, suite, cellKey, facts, ...told }: Told): AlertMessage {
  const { suiteId, runId, suiteRunId, createdAt } = told;
  const words = describeAlert({ kind, suite, cellKey, facts });
  return {
    ...{ version: 1, id: alertId, kind, ...words, suite, suiteId, cellKey, runId, suiteRunId, facts, createdAt },
    url: runId === null ? null : new URL(`/runs/${runId}`, publicUrl).href,
  };
}

async function readTold(database: Database, { tenantId, alertId, subject }: AlertRow): Promise<Told | null> {
  const { channelId } = Subject.parse(subject);
  const rows = await askAsWorker<Record<string, unknown>>(
    database,
    sql`
      select a.kind, a.suite_name as suite, a.suite_id as "suiteId", a.cell_key as "cellKey", a.run_id as "runId",
        a.suite_run_id as "suiteRunId", a.facts,
        to_char(a.created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt",
        (select o.external_id from outbox o where o.tenant_id = a.tenant_id and o.kind = 'alert'
          and o.dedupe_key = a.resolves::text || ':' || c.id::text) as "openIssue",
        jsonb_build_object('id', c.id, 'kind', c.kind, 'isEnabled', c.is_enabled, 'recipients', c.recipients, 'sealedUrl', c.sealed_url,
          'repository', case when r.id is null then null else jsonb_build_object('host', r.host, 'externalId', r.external_id,
            'fullName', r.full_name) end) as channel
      from alerts a
      join alert_channels c on c.tenant_id = a.tenant_id and c.id = ${channelId}
      left join repositories r on r.tenant_id = c.tenant_id and r.id = c.repository_id
      where a.tenant_id = ${tenantId} and a.id = ${alertId}`,
  );
  return rows[0] === undefined ? null : Told.parse(rows[0]);
}
