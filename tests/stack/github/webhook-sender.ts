import { createHmac, randomUUID } from 'node:crypto';

export type Delivery = {
  guid: string;
  event: string;
  action: string | undefined;
  payload: Record<string, unknown>;
  /** The answer of the receiver; undefined when there was none. */
  status: number | undefined;
};

/** One try to deliver; a repeated one has the same GUID under another id. */
export type Attempt = Pick<Delivery, 'guid' | 'event' | 'action' | 'status'> & {
  id: number;
  deliveredAt: string;
  isAgain: boolean;
};

type Options = { secret: string; appId: number; installationId: number };

/** Delivers the App's webhooks as GitHub does: signed, with a GUID, once, without redelivery. */
export class WebhookSender {
  /** Where the App receives; nothing is sent while it is undefined. */
  target: string | undefined;
  /** Set on an Enterprise Server, which names itself in a header. */
  enterpriseHost: string | undefined;
  readonly deliveries: Delivery[] = [];
  readonly attempts: Attempt[] = [];
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  get secret(): string {
    return this.#options.secret;
  }

  /** Adds the installation and delivers; resolves when the receiver answered or could not be reached. */
  async send(event: string, payload: Record<string, unknown>): Promise<Delivery | undefined> {
    if (this.target === undefined) return undefined;
    const action = typeof payload.action === 'string' ? payload.action : undefined;
    const told = typeof payload.installation === 'object' ? payload.installation : {};
    const full = { ...payload, installation: { ...told, id: this.#options.installationId } };
    const delivery: Delivery = { guid: randomUUID(), event, action, payload: full, status: undefined };
    this.deliveries.push(delivery);
    await this.#attempt(this.target, delivery, false);
    return delivery;
  }

  /** The same delivery again, with the same GUID. */
  async redeliver(guid: string): Promise<void> {
    const delivery = this.deliveries.find((each) => each.guid === guid);
    if (delivery === undefined || this.target === undefined) throw new Error(`no delivery ${guid} to repeat`);
    await this.#attempt(this.target, delivery, true);
  }

  async #attempt(target: string, delivery: Delivery, isAgain: boolean): Promise<void> {
    await this.#post(target, delivery);
    const { guid, event, action, status } = delivery;
    const deliveredAt = new Date().toISOString();
    this.attempts.push({ id: this.attempts.length + 1, guid, event, action, status, deliveredAt, isAgain });
  }

  async #post(target: string, delivery: Delivery): Promise<void> {
    const body = JSON.stringify(delivery.payload);
    const { secret, appId } = this.#options;
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/local',
      'x-github-event': delivery.event,
      'x-github-delivery': delivery.guid,
      'x-github-hook-id': '1',
      'x-github-hook-installation-target-id': String(appId),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    };
    if (this.enterpriseHost !== undefined) headers['x-github-enterprise-host'] = this.enterpriseHost;
    try {
      const answer = await fetch(target, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
      await answer.arrayBuffer();
      delivery.status = answer.status;
    } catch {
      // GitHub shows a failed delivery and does not try again by itself.
      delivery.status = undefined;
    }
  }
}
