import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { parseJson } from '@proofmark/contracts/parse-json';
import type { HttpDriver } from '@proofmark/contracts/service';
import { z } from 'zod';
import { ChunkGatherer } from '../models/gather-chunks.ts';
import { isTooDeep } from '../models/json-depth.ts';
import type { CallResult } from '../models/model-port.ts';
import { RefusedAnswer } from '../models/refused-answer.ts';
import { EventSplitter, type StreamEvent } from '../models/split-events.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { findInAnswer } from './find-in-answer.ts';

type Stream = NonNullable<HttpDriver['stream']>;
type Answer = CallResult<JsonValue>;

/** What the pieces of a streamed answer make together, as one answer that a mapping can read. */
export function gatherStream({ format, text: path = '' }: Stream, text: string): Answer {
  switch (format) {
    case 'text':
      return { ok: true, value: { text } };
    case 'ndjson':
      return fromPieces(
        text.split('\n').filter((line) => line.trim() !== ''),
        path,
      );
    case 'sse': {
      const events = eventsOf(text);
      return events.ok
        ? fromPieces(
            events.value.map(({ data }) => data).filter((data) => data !== lastEvent),
            path,
          )
        : events;
    }
    case 'openai':
      return gatherCompletion(text);
    case 'ui-message':
      return gatherUiMessage(text);
  }
}

const lastEvent = '[DONE]';
const failed = (message: string): { ok: false; failure: ReturnType<typeof finalFailure> } => ({
  ok: false,
  failure: finalFailure('agent', message),
});
const broken = (message: string): Answer => ({
  ok: false,
  failure: { kind: 'agent', message, retryable: true, retryAfterMs: null },
});
const cutOff = "The service's stream ended in the middle of the answer";

/** Named events hold what the service wants to say beside the answer; a path that they lack takes nothing from them. */
function eventsOf(text: string): CallResult<StreamEvent[]> {
  const splitter = new EventSplitter();
  const events = splitter.take(Buffer.from(text));
  if (events instanceof RefusedAnswer) return { ok: false, failure: finalFailure('limit', events.message) };
  const rest = splitter.rest();
  return { ok: true, value: rest ? [...events, rest] : events };
}

/** Pieces of JSON with a text at the path; `last` is the last of them, where services put what they know in the end. */
function fromPieces(pieces: readonly string[], path: string): Answer {
  const events: JsonValue[] = [];
  for (const piece of pieces) {
    const event = readPiece(piece);
    if (event === undefined) return failed(`The service streamed a piece that is not JSON: ${piece.slice(0, 100)}`);
    events.push(event);
  }
  if (events.length === 0) return broken(cutOff);
  const texts = events.flatMap((event) => findInAnswer(path, event).values).filter((one) => typeof one === 'string');
  return { ok: true, value: { text: texts.join(''), events, last: events.at(-1) ?? null } };
}

const readPiece = (piece: string): JsonValue | undefined =>
  // JSON.parse gives JSON.
  isTooDeep(piece) ? undefined : (parseJson(piece) as JsonValue | undefined);

function gatherCompletion(text: string): Answer {
  const events = eventsOf(text);
  if (!events.ok) return events;
  const gatherer = new ChunkGatherer();
  let isOver = false;
  for (const event of events.value) {
    const verdict = gatherer.take(event);
    if (verdict instanceof Error) return failed(verdict.message);
    isOver ||= verdict === 'over';
  }
  if (!isOver && !gatherer.isWhole) return broken(cutOff);
  // Its parts come from JSON.
  return { ok: true, value: JSON.parse(JSON.stringify(gatherer.completion())) as JsonValue };
}

const UiEvent = z.object({
  type: z.string(),
  id: z.string().optional(),
  delta: z.string().optional(),
  errorText: z.string().optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  input: z.json().optional(),
  output: z.json().optional(),
  messageMetadata: z.json().optional(),
});

interface UiCall {
  [key: string]: JsonValue;
  id: string;
  name: string;
  args: JsonValue;
  result: JsonValue;
}

/** The stream of UI messages of the Vercel AI SDK: text, calls of tools and metadata. Kinds that it adds later are left out. */
function gatherUiMessage(text: string): Answer {
  const events = eventsOf(text);
  if (!events.ok) return events;
  const gathered = new UiMessage();
  for (const { data } of events.value) {
    const event =
      data === lastEvent ? { success: true as const, data: { type: 'finish' } } : UiEvent.safeParse(readPiece(data));
    if (!event.success) return failed(`The service streamed no UI message: ${data.slice(0, 100)}`);
    const end = gathered.take(event.data);
    if (end) return end;
  }
  return gathered.isWhole ? { ok: true, value: gathered.answer() } : broken(cutOff);
}

class UiMessage {
  readonly #texts = new Map<string, string>();
  readonly #calls = new Map<string, UiCall>();
  #metadata: JsonValue = null;
  isWhole = false;

  /** Why the answer is none; undefined as long as it may become one. */
  take({
    type,
    id = '',
    delta = '',
    errorText,
    messageMetadata,
    ...call
  }: z.infer<typeof UiEvent>): Answer | undefined {
    if (type === 'error') return failed(`The service failed: ${errorText ?? 'it does not say why'}`);
    if (type === 'abort') return broken('The service broke its answer off');
    this.isWhole ||= type === 'finish';
    this.#metadata = messageMetadata ?? this.#metadata;
    if (type === 'text-delta') this.#texts.set(id, (this.#texts.get(id) ?? '') + delta);
    if (type.startsWith('tool-')) this.#takeCall(type, { ...call, errorText });
    return undefined;
  }

  answer(): JsonValue {
    return {
      text: [...this.#texts.values()].join('\n'),
      tool_calls: [...this.#calls.values()],
      metadata: this.#metadata,
    };
  }

  #takeCall(
    type: string,
    { toolCallId: id = '', toolName, input, output, errorText }: Partial<z.infer<typeof UiEvent>>,
  ): void {
    if (type === 'tool-input-available')
      this.#calls.set(id, { id, name: toolName ?? '', args: input ?? {}, result: null });
    const call = this.#calls.get(id);
    if (call && type === 'tool-output-available') call.result = output ?? null;
    if (call && type === 'tool-output-error') call.result = { error: errorText ?? '' };
  }
}
