import { parseJson } from '@proofmark/contracts/parse-json';
import OpenAI, { APIError, APIPromise } from 'openai';
import { streamType } from './light-fetch.ts';
import { type ModelRefusal, readRefusal } from './read-refusal.ts';

/** The signal of the caller alone ends a call. */
const unused = new AbortController();

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

  /** One call as it is, with a body that the caller reads. The SDK's way through retries, hooks and logs takes 20 us more. */
  override post<Answer>(path: string, options?: PostOptions): BareCall<Answer> {
    return new BareCall(this, this.#ask(path, options));
  }

  async #ask(path: string, asked: PostOptions): Promise<Responded> {
    const { body, signal, stream } = (await asked) ?? {};
    const headers = stream ? this.#streamHeaders : this.#headers;
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null };
    const options = { method: 'post' as const, path };
    const response = await this.#send(this.#url(path), request);
    if (!response.ok) throw await refusalOf(response);
    return { response, options, controller: unused, requestLogID: '', retryOfRequestLogID: undefined, startTime: 0 };
  }

  #url(path: string): string {
    const url = this.#urls.get(path) ?? this.buildURL(path, null);
    this.#urls.set(path, url);
    return url;
  }
}

/** A call of which only the bare response is read: the SDK has nothing to make of it, and wraps nothing around it. */
class BareCall<Answer> extends APIPromise<Answer> {
  override _thenUnwrap<Made>(): APIPromise<Made> {
    return this as unknown as APIPromise<Made>; // what would be made of the response is never asked for
  }
}

/** The SDK knows one form of errors and throws the texts of all others away. */
async function refusalOf(response: Response): Promise<RefusedRequest> {
  const text = await response.text().catch((error: Error) => error.message);
  return new RefusedRequest(readRefusal(response.status, parseJson(text) ?? text), response.headers);
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

type PostOptions = Parameters<OpenAI['post']>[1];
type Responded = Awaited<ConstructorParameters<typeof APIPromise>[1]>;
