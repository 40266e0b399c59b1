import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { parseJson } from '@proofmark/contracts/parse-json';
import { fitsHeader, type HttpDriver } from '@proofmark/contracts/service';
import { guardedAgent } from '@proofmark/process/guarded-agent';
import { tracing } from '@proofmark/process/tracing';
import { Agent, type Dispatcher } from 'undici';
import { z } from 'zod';
import { describeBrokenCall, describeStatus } from '../models/describe-failure.ts';
import { chooseKeyless, type KeyRing, secretFor } from '../models/key-ring.ts';
import { refuseHead } from '../models/light-fetch.ts';
import { maskKeys, maskKnownKeys, writtenForms } from '../models/mask-keys.ts';
import type { CallResult } from '../models/model-port.ts';
import { readAnswer } from '../models/read-answer.ts';
import { readWhole } from '../models/read-answer-body.ts';
import { type CallFailure, finalFailure } from '../retry/call-failure.ts';
import type { FilledHeader, ServiceCall, ServiceReply } from './agent-reach.ts';

type OAuth = NonNullable<HttpDriver['oauth']>;
type Tls = NonNullable<HttpDriver['tls']>;

interface Sent {
  url: string;
  method: ServiceCall['method'];
  headers: Record<string, string>;
  body: string | null;
  dispatcher: Dispatcher;
}

type Received =
  | { ok: true; status: number; headers: IncomingHttpHeaders; text: string }
  | { ok: false; failure: CallFailure };

type Headers = { ok: true; value: Record<string, string>; hasSecret: boolean } | { ok: false; failure: CallFailure };

/** A token lives as long as it says, less the time that a call may need. */
const tokenMarginMs = 60_000;
const usualTokenMs = 5 * 60_000;
/** Between two bytes of an answer in one piece; a stream may think for as long as its turn may last. */
const idleMs = 15_000;
const shownCharacters = 500;
const mostTokens = 100;

const Token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive().optional() });

/**
 * Requests to services of the team: addresses and secrets by the operator's word alone, no redirect followed, nothing
 * compressed, at most 8 MB. Secrets are put in here and nowhere else, and taken out of whatever comes back.
 */
export class ServiceCaller implements AsyncDisposable {
  readonly #keys: KeyRing;
  readonly #now: () => Date;
  readonly #secrets: readonly string[];
  readonly #open = new Agent();
  readonly #guarded = guardedAgent();
  readonly #withTls = new Map<string, Agent>();
  readonly #tokens = new Map<string, { value: Promise<CallResult<string>>; untilMs: number }>();
  /** Tokens that were fetched: as secret as what they were fetched with. */
  readonly #issued = new Set<string>();

  constructor({ keys, now }: { keys: KeyRing; now: () => Date }) {
    this.#keys = keys;
    this.#now = now;
    this.#secrets = [...keys.values.values()].flatMap((secret) => (secret === undefined ? [] : writtenForms(secret)));
  }

  async call(request: ServiceCall, signal: AbortSignal): Promise<CallResult<ServiceReply>> {
    const { oauth } = request.service;
    const first = await this.#once(request, signal);
    // A token may have been taken back before its time.
    if (!oauth || first.ok || first.status !== 401) return first;
    this.#tokens.delete(tokenKey(oauth));
    return await this.#once(request, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#open, this.#guarded, ...this.#withTls.values()].map((agent) => agent.destroy()));
  }

  async #once(request: ServiceCall, signal: AbortSignal): Promise<CallResult<ServiceReply> & { status?: number }> {
    const { url, method, body, accept } = request;
    const secret = await this.#secretHeaders(request, signal);
    if (!secret.ok) return secret;
    const dispatcher = this.#dispatcherFor(url, { tls: request.service.tls, hasSecret: secret.hasSecret });
    if (!dispatcher.ok) return dispatcher;
    const type = body === null ? {} : { 'content-type': body.type };
    const traceparent = tracing()?.traceparent();
    const headers = {
      ...{ ...type, accept, 'accept-encoding': 'identity', 'user-agent': 'proofmark' },
      ...(traceparent && { traceparent }),
      ...secret.value,
    };
    const received = await this.#send(
      { url, method, headers, body: body?.text ?? null, dispatcher: dispatcher.value },
      signal,
      'The service',
    );
    return received.ok ? { ok: true, value: this.#reply(received) } : received;
  }

  #reply({ text, headers }: Extract<Received, { ok: true }>): ServiceReply {
    const known = this.#known();
    const masked = (one: string): string => maskKnownKeys(one, known);
    return {
      text: masked(text),
      contentType: headers['content-type'] ?? '',
      header: (name) => maskedHeader(headers, name, masked),
      // One of them comes as a text, several as a list.
      cookies: [headers['set-cookie'] ?? []].flat().map((cookie) => masked(cookie.split(';', 1)[0] ?? '').trim()),
    };
  }

  /** All headers of the definition, with a token and a signature where they are wanted. */
  async #secretHeaders(request: ServiceCall, signal: AbortSignal): Promise<Headers> {
    const { url, sign, service } = request;
    const headers = this.#headers(request);
    if (!headers.ok) return headers;
    const token = service.oauth && (await this.#token(service.oauth, url, signal));
    if (token && !token.ok) return token;
    const signature = sign === undefined ? undefined : this.#signature(request, sign);
    if (signature && !signature.ok) return signature;
    const value = { ...headers.value, ...(token && { authorization: `Bearer ${token.value}` }), ...signature?.value };
    return { ok: true, value, hasSecret: headers.hasSecret || token !== undefined || signature !== undefined };
  }

  /** The headers with their secrets, or why one of them may not be sent there. */
  #headers({
    headers,
    url,
  }: ServiceCall):
    | { ok: true; value: Record<string, string>; hasSecret: boolean }
    | { ok: false; failure: CallFailure } {
    const value: Record<string, string> = {};
    let hasSecret = false;
    for (const [name, source] of headers) {
      if (typeof source === 'string') {
        value[name.toLowerCase()] = source;
        continue;
      }
      const filled = this.#secretHeader(source, url);
      if (!filled.ok) return this.#failed(finalFailure('agent', `Header ${name}: ${filled.message}`));
      value[name.toLowerCase()] = filled.value;
      hasSecret = true;
    }
    return { ok: true, value, hasSecret };
  }

  /** HMAC-SHA256 over the time and the body, so that nobody can send the same again later. */
  #signature({ url, body }: ServiceCall, name: string): CallResult<Record<string, string>> {
    const secret = secretFor(name, url, this.#keys);
    if (!secret.ok) return this.#failed(finalFailure('agent', `secret: ${secret.message}`));
    const time = String(Math.floor(this.#now().getTime() / 1_000));
    const digest = createHmac('sha256', secret.value)
      .update(`${time}.${body?.text ?? ''}`)
      .digest('hex');
    return { ok: true, value: { 'x-proofmark-timestamp': time, 'x-proofmark-signature': `sha256=${digest}` } };
  }

  #secretHeader({ from_env: name, prefix = '', encode }: Exclude<FilledHeader, string>, url: string) {
    const secret = secretFor(name, url, this.#keys);
    if (!secret.ok) return secret;
    const text = prefix + (encode === 'base64' ? Buffer.from(secret.value).toString('base64') : secret.value);
    return fitsHeader(text)
      ? { ok: true as const, value: text }
      : { ok: false as const, message: `${name} holds a line break or another character that a header cannot carry` };
  }

  /** The way there. An address that no secret is bound to must be public, or allowed by the operator. */
  #dispatcherFor(
    url: string,
    { tls, hasSecret }: { tls: Tls | undefined; hasSecret: boolean },
  ): CallResult<Dispatcher> {
    if (tls) return this.#dispatcherWith(tls, url);
    if (hasSecret) return { ok: true, value: this.#open };
    const allowed = chooseKeyless(url, this.#keys);
    if (!allowed.ok) return this.#failed(finalFailure('agent', allowed.message));
    return { ok: true, value: allowed.isTrusted ? this.#open : this.#guarded };
  }

  #dispatcherWith({ ca, cert, key }: Tls, url: string): CallResult<Dispatcher> {
    const id = JSON.stringify([ca, cert, key, new URL(url).origin]);
    const known = this.#withTls.get(id);
    if (known) return { ok: true, value: known };
    const parts: Record<string, string> = {};
    for (const [part, named] of Object.entries({ ca, cert, key })) {
      const read = named && secretFor(named.from_env, url, this.#keys);
      if (read && !read.ok) return this.#failed(finalFailure('agent', `tls.${part}: ${read.message}`));
      if (read) parts[part] = read.value;
    }
    try {
      const agent = new Agent({ connect: parts });
      this.#withTls.set(id, agent);
      return { ok: true, value: agent };
    } catch {
      return this.#failed(finalFailure('agent', 'tls: the certificates cannot be read as PEM'));
    }
  }

  async #send(
    { dispatcher, url, ...request }: Sent,
    signal: AbortSignal,
    who: string,
  ): Promise<Received & { status?: number }> {
    const { origin, pathname, search } = new URL(url);
    const isStream = request.headers.accept !== 'application/json';
    try {
      const { status, headers, body } = await readAnswer(
        dispatcher,
        { ...request, origin, path: `${pathname}${search}`, headersTimeout: 0, bodyTimeout: isStream ? 0 : idleMs },
        { signal, reader: (...head) => refuseHead(...head) ?? readWhole() },
      );
      const text = 'completion' in body ? '' : body.toString('utf8');
      if (status < 300) return { ok: true, status, headers, text };
      const header = (name: string): string | null => maskedHeader(headers, name, (value) => value);
      const error = { status, message: `${status} ${text}`, code: null, requestId: null, header };
      return { ...this.#failed(describeStatus(error, this.#now(), who)), status };
    } catch (error) {
      signal.throwIfAborted();
      return this.#failed(describeBrokenCall(error));
    }
  }

  /** A token for the address; the secret that it is fetched with must be allowed at both places. */
  async #token(oauth: OAuth, url: string, signal: AbortSignal): Promise<CallResult<string>> {
    const { from_env: name } = oauth.client_secret;
    const there = secretFor(name, url, this.#keys);
    if (!there.ok) return this.#failed(finalFailure('agent', `oauth.client_secret: ${there.message}`));
    const id = tokenKey(oauth);
    const known = this.#tokens.get(id);
    if (known && known.untilMs > this.#now().getTime()) return await known.value;
    const entry = { value: this.#fetchToken(oauth, signal), untilMs: Number.POSITIVE_INFINITY };
    this.#tokens.set(id, entry);
    const fetched = await entry.value.catch((error: unknown) => {
      this.#tokens.delete(id);
      throw error;
    });
    if (!fetched.ok) this.#tokens.delete(id);
    return fetched;
  }

  async #fetchToken(oauth: OAuth, signal: AbortSignal): Promise<CallResult<string>> {
    const { token_url: url, client_secret, scope, audience } = oauth;
    const secret = secretFor(client_secret.from_env, url, this.#keys);
    if (!secret.ok) return this.#failed(finalFailure('agent', `oauth.client_secret: ${secret.message}`));
    const client = this.#clientId(oauth);
    if (!client.ok) return this.#failed(finalFailure('agent', `oauth.client_id: ${client.message}`));
    const asked = { grant_type: 'client_credentials', ...(scope && { scope }), ...(audience && { audience }) };
    const basic = Buffer.from(`${encodeURIComponent(client.value)}:${encodeURIComponent(secret.value)}`).toString(
      'base64',
    );
    this.#remember(basic);
    const inHeader = await this.#askForToken(url, { asked, headers: { authorization: `Basic ${basic}` } }, signal);
    // Some servers read the client from the body alone.
    const refused = !inHeader.ok && (inHeader.status === 401 || inHeader.status === 400);
    const received = refused
      ? await this.#askForToken(
          url,
          { asked: { ...asked, client_id: client.value, client_secret: secret.value }, headers: {} },
          signal,
        )
      : inHeader;
    if (!received.ok) return received;
    const token = Token.safeParse(parseJson(received.text));
    if (!token.success || !fitsHeader(token.data.access_token))
      return this.#failed(finalFailure('agent', 'oauth: the answer of token_url holds no access_token'));
    const { access_token: value, expires_in: seconds } = token.data;
    this.#remember(value);
    const entry = this.#tokens.get(tokenKey(oauth));
    const livesMs = seconds === undefined ? usualTokenMs : Math.max(1_000, seconds * 1_000 - tokenMarginMs);
    if (entry) entry.untilMs = this.#now().getTime() + livesMs;
    return { ok: true, value };
  }

  #askForToken(
    url: string,
    { asked, headers }: { asked: Record<string, string>; headers: Record<string, string> },
    signal: AbortSignal,
  ): Promise<Received & { status?: number }> {
    const body = new URLSearchParams(asked).toString();
    const sent = { ...headers, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    return this.#send(
      { url, method: 'POST', headers: { ...sent, 'accept-encoding': 'identity' }, body, dispatcher: this.#open },
      signal,
      'oauth: the server of tokens',
    );
  }

  #clientId({ client_id: id, token_url: url }: OAuth) {
    return typeof id === 'string' ? { ok: true as const, value: id } : secretFor(id.from_env, url, this.#keys);
  }

  #remember(secret: string): void {
    for (const form of writtenForms(secret)) this.#issued.add(form);
    for (const oldest of this.#issued) {
      if (this.#issued.size <= mostTokens) break;
      this.#issued.delete(oldest);
    }
  }

  #known(): string[] {
    return [...this.#secrets, ...this.#issued];
  }

  #failed(failure: CallFailure): { ok: false; failure: CallFailure } {
    const message = maskKeys(failure.message, this.#known()).slice(0, shownCharacters).toWellFormed();
    return { ok: false, failure: { ...failure, message } };
  }
}

const tokenKey = (oauth: OAuth): string => JSON.stringify(oauth);

function maskedHeader(headers: IncomingHttpHeaders, name: string, masked: (text: string) => string): string | null {
  const value = headers[name.toLowerCase()];
  return value === undefined ? null : masked(String(value));
}
