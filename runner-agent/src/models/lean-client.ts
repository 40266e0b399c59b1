import OpenAI, { APIError } from 'openai';
import { streamType } from './light-fetch.ts';
import { type ModelRefusal, readRefusal } from './read-refusal.ts';

type BuildRequest = OpenAI['buildRequest'];
type FetchWithTimeout = OpenAI['fetchWithTimeout'];

export interface LeanClientOptions {
  baseURL: string;
  /** Null: the server is called without one. */
  key: string | null;
  fetch: typeof globalThis.fetch;
}

/**
 * The SDK with requests of our own making: JSON in a POST, with four headers that never change, ended by the signal of
 * the caller alone. The SDK builds a dozen headers, a timer and three signals anew for every call, which costs more than
 * sending it, and most of the headers describe the machine it runs on.
 */
export class LeanClient extends OpenAI {
  readonly #headers: Record<string, string>;
  readonly #streamHeaders: Record<string, string>;
  readonly #send: typeof globalThis.fetch;
  readonly #urls = new Map<string, string>();

  constructor({ baseURL, key, fetch }: LeanClientOptions) {
    super({
      baseURL,
      // Without a key the SDK refuses to start, so it gets a word that is never sent.
      apiKey: key ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: 'off',
      fetch,
    });
    this.#send = fetch;
    this.#headers = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'proofmark',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    };
    this.#streamHeaders = { ...this.#headers, accept: streamType };
  }

  override async buildRequest(options: Parameters<BuildRequest>[0]): ReturnType<BuildRequest> {
    const { method, path, body, signal, stream } = options;
    const headers = stream ? this.#streamHeaders : this.#headers;
    const request = { method, headers, body: JSON.stringify(body), signal: signal ?? null };
    // The SDK's type asks for `Headers`, which it passes on unread; our fetch takes plain ones, which are cheaper.
    return { url: this.#url(path), timeout: this.timeout, req: request as unknown as Built['req'] };
  }

  /** Without a timer of the SDK: the signal of the caller ends the call and also a body that stalls. */
  override fetchWithTimeout(url: Parameters<FetchWithTimeout>[0], init: RequestInit): ReturnType<FetchWithTimeout> {
    return this.#send(url, init);
  }

  /** The SDK knows one form of errors and throws the texts of all others away. */
  override makeStatusError(...[status, body, text, headers]: Parameters<MakeStatusError>): APIError {
    return new RefusedRequest(readRefusal(status, body ?? text), headers);
  }

  #url(path: string): string {
    const url = this.#urls.get(path) ?? this.buildURL(path, null);
    this.#urls.set(path, url);
    return url;
  }
}

/** An error status with all that its body says. */
export class RefusedRequest extends APIError {
  readonly refusal: ModelRefusal;

  constructor(refusal: ModelRefusal, headers: APIError['headers']) {
    const { status, text, code, fields } = refusal;
    super(status, { code, param: fields[0] ?? null }, text || '(no text)', headers);
    this.message = `${status} ${text || '(no text)'}`;
    this.refusal = refusal;
  }
}

type MakeStatusError = OpenAI['makeStatusError'];
type Built = Awaited<ReturnType<BuildRequest>>;
