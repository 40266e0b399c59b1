import { parseJson } from '@proofmark/contracts/parse-json';
import { z } from 'zod';
import { isTooDeep } from './json-depth.ts';
import { Content, ErrorBody, unexpectedShape } from './parse-chat-answer.ts';
import { AbandonedStream, RefusedAnswer, UnusableStream } from './refused-answer.ts';
import type { StreamEvent } from './split-events.ts';

const Fragment = z.object({
  index: z.int().min(0).nullish(),
  id: z.string().nullish(),
  type: z.literal('function').nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
type Fragment = z.infer<typeof Fragment>;

const Delta = z.object({
  content: Content.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(Fragment).nullish(),
});
const StreamedChoice = z.object({
  index: z.int().nullish(),
  finish_reason: z.string().nullish(),
  delta: Delta.nullish(),
});
const Chunk = z.object({
  model: z.string().nullish(),
  choices: z.array(StreamedChoice).nullish(),
  usage: z.unknown().optional(),
});

interface GatheredCall {
  /** Its place in the list. */
  at: number;
  id: string;
  function: { name: string; arguments: string };
}

const lastEvent = '[DONE]';

/** Puts the chunks of a streamed completion together to the body that it would have had in one piece. */
export class ChunkGatherer {
  #model: string | null = null;
  /** As the provider sent it last: some count on from chunk to chunk. */
  #usage: unknown;
  #content: string | null = null;
  #refusal: string | null = null;
  #finish: string | null = null;
  #hasChoice = false;
  readonly #calls: GatheredCall[] = [];
  readonly #callsByIndex = new Map<number, GatheredCall>();

  /** What the event says of the stream: it goes on (undefined), it is over, or why its answer is none. */
  take({ type, data }: StreamEvent): 'over' | Error | undefined {
    if (data === lastEvent) return 'over';
    if (data.trim() === '') return undefined;
    if (isTooDeep(data)) return new RefusedAnswer('too_deep', 'the answer is nested too deeply');
    const body = parseJson(data);
    const abandoned = asAbandoned(type, body, data);
    if (abandoned) return abandoned;
    if (body === undefined) return new UnusableStream('The provider streamed an event that is not JSON');
    const chunk = Chunk.safeParse(body);
    if (!chunk.success) return new UnusableStream(unexpectedShape(chunk.error));
    this.#addChunk(chunk.data);
    return undefined;
  }

  /** Whether the answer itself is whole, even if the stream does not say that it is over. */
  get isWhole(): boolean {
    return this.#finish !== null;
  }

  completion(): unknown {
    const message = {
      content: this.#content,
      refusal: this.#refusal,
      tool_calls: this.#calls.toSorted((one, other) => one.at - other.at),
    };
    const choices = this.#hasChoice ? [{ finish_reason: this.#finish, message }] : [];
    return { model: this.#model, choices, usage: this.#usage };
  }

  #addChunk({ model, choices, usage }: z.infer<typeof Chunk>): void {
    this.#model ??= model || null;
    this.#usage = usage ?? this.#usage;
    for (const { index, finish_reason: finish, delta } of choices ?? []) {
      if ((index ?? 0) !== 0) continue;
      this.#hasChoice = true;
      this.#finish = finish || this.#finish;
      if (delta) this.#addDelta(delta);
    }
  }

  #addDelta({ content, refusal, tool_calls: fragments }: z.infer<typeof Delta>): void {
    this.#content = joined(this.#content, content);
    this.#refusal = joined(this.#refusal, refusal);
    for (const fragment of fragments ?? []) this.#join(fragment);
  }

  #join(fragment: Fragment): void {
    const { index, id, function: part } = fragment;
    const known = index === null || index === undefined ? this.#calls.at(-1) : this.#callsByIndex.get(index);
    const call = known && !startsAnother(known, fragment) ? known : this.#start(index);
    call.id ||= id ?? '';
    call.function.name ||= part?.name ?? '';
    call.function.arguments += part?.arguments ?? '';
  }

  #start(index: number | null | undefined): GatheredCall {
    const call = { at: index ?? this.#calls.length, id: '', function: { name: '', arguments: '' } };
    this.#calls.push(call);
    if (typeof index === 'number') this.#callsByIndex.set(index, call);
    return call;
  }
}

/** Null as long as nothing was said: an empty text is an answer, none is not. */
const joined = (earlier: string | null, text: string | null | undefined): string | null =>
  typeof text === 'string' ? (earlier ?? '') + text : earlier;

/** Some servers number all calls 0, or none: then a new id together with a name begins a new call. */
const startsAnother = ({ id: known }: GatheredCall, { id, function: part }: Fragment): boolean =>
  Boolean(id && part?.name && known !== '' && id !== known);

const Code = z.object({ error: z.object({ code: z.union([z.string(), z.number()]) }) });

/** An error in the place of a chunk. Its code may be the status that can no longer be sent. */
function asAbandoned(type: string | null, body: unknown, data: string): AbandonedStream | undefined {
  const hasError = typeof body === 'object' && body !== null && 'error' in body && body.error !== null;
  if (!hasError && type !== 'error') return undefined;
  const code = Code.safeParse(body).data?.error.code ?? null;
  const status = code === null ? Number.NaN : Number(code);
  return new AbandonedStream(ErrorBody.safeParse(body).data?.error ?? data, {
    status: status >= 400 && status < 600 ? status : null,
    code: typeof code === 'string' ? code : null,
  });
}
