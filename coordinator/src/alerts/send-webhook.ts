import { createHmac } from 'node:crypto';
import type { AlertMessage } from '@proofmark/contracts/alert-message';
import { guardedAgent } from '@proofmark/process/guarded-agent';
import { checkUrl } from '@proofmark/process/public-address';
import { Agent, request } from 'undici';
import type { DeliveryResult } from '../feedback/feedback-port.ts';

const timeoutMs = 10_000;
const longestWaitMs = 600_000;
const mostOfAnswer = 1000;

/** What a channel with an address is told, and by what its receiver knows that it had it before. */
export interface WebhookCall {
  url: string;
  /** The same for every try. */
  deliveryId: string;
  body: string;
  /** Null: the address itself is the secret. */
  secret: Buffer | null;
  tries: number;
}

/** Addresses in private nets are called only where the operator lists their origin. */
export interface SendingPorts {
  allowedOrigins: ReadonlySet<string>;
  nowMs: () => number;
}

export const urlsListedIn = 'PROOFMARK_ALERT_URL_ALLOW';

// Connections are not kept: alerts are rare, and their receivers many.
const guarded = guardedAgent();
const trusted = new Agent();

/**
 * Posts to an address that an admin of a tenant wrote: nothing but its status is believed, and no redirect is followed.
 * Signed as standardwebhooks.com says, with the time of this try, so that what was overheard cannot be sent again later.
 */
export async function sendWebhook(call: WebhookCall, { allowedOrigins, nowMs }: SendingPorts): Promise<DeliveryResult> {
  const checked = checkUrl(call.url, allowedOrigins, urlsListedIn);
  if (!checked.ok) return { state: 'parked', reason: `the address ${checked.message}`, isFinal: true };
  const timestamp = String(Math.floor(nowMs() / 1000));
  try {
    const { statusCode, headers, body } = await request(checked.url, {
      method: 'POST',
      body: call.body,
      dispatcher: checked.isTrusted ? trusted : guarded,
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Proofmark',
        'webhook-id': call.deliveryId,
        'webhook-timestamp': timestamp,
        ...(call.secret === null ? {} : { 'webhook-signature': signatureOf(call, call.secret, timestamp) }),
      },
    });
    await body.dump({ limit: mostOfAnswer });
    return resultOf(statusCode, headers['retry-after'], call.tries);
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
    return { state: 'retry', reason: notReached, detail, afterMs: backoffMs(call.tries) };
  }
}

/** Always the same words: which hosts and ports there are near the coordinator is nothing for a tenant to find out. */
const notReached = `the receiver was not reached in ${timeoutMs / 1000} seconds: is its address right, and a public one? The log of the coordinator says more`;

const signatureOf = ({ deliveryId, body }: WebhookCall, secret: Buffer, timestamp: string): string =>
  `v1,${createHmac('sha256', secret).update(`${deliveryId}.${timestamp}.${body}`).digest('base64')}`;

function resultOf(status: number, retryAfter: unknown, tries: number): DeliveryResult {
  if (status >= 200 && status < 300) return { state: 'done', externalId: null };
  const reason = `the receiver answered ${status}`;
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  if (!isPassing) return { state: 'parked', reason, isFinal: true };
  const askedMs = Number(retryAfter) * 1000;
  const afterMs = Number.isFinite(askedMs) && askedMs > 0 ? Math.min(askedMs, longestWaitMs) : backoffMs(tries);
  return { state: 'retry', reason, afterMs };
}

/** Longer from try to try, and never in step with other replicas. */
export const backoffMs = (tries: number): number =>
  Math.min(2000 * 2 ** Math.min(tries, 20), longestWaitMs) * (0.8 + 0.4 * Math.random());

/** The same alert as a message of Slack, or of whoever reads its form; names are text and never commands such as `<!channel>`. */
export function slackBody({ title, lines, url }: AlertMessage): string {
  const heading = `*${slackText(title)}*`;
  const link = url === null ? [] : [`<${url}|Open it in Proofmark>`];
  const text = [heading, ...lines.map(slackText), ...link].join('\n').slice(0, 3000);
  return JSON.stringify({
    text: slackText(title),
    blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }],
  });
}

const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
