import { RefusedAnswer } from './refused-answer.ts';

const largestEvent = 1024 * 1024;
const lineEnd = /\r\n|\r|\n/;

/** One server-sent event. `type` is null for all but named ones. */
export interface StreamEvent {
  type: string | null;
  data: string;
}

/** Cuts the bytes of a stream into its events, wherever the network cut them. Comments and other fields are left out. */
export class EventSplitter {
  readonly #decoder = new TextDecoder();
  /** The line that has no end yet, in the pieces in which it came: joined once, however many there are. */
  #line: string[] = [];
  #data: string[] = [];
  #type: string | null = null;
  /** Characters of the unfinished event. */
  #size = 0;
  #isTooLarge = false;
  #endedInReturn = false;

  /** The events that this chunk completes; an error when one of them is larger than 1 MB. */
  take(chunk: Uint8Array): StreamEvent[] | RefusedAnswer {
    const decoded = this.#decoder.decode(chunk, { stream: true });
    if (decoded === '') return [];
    const text = this.#endedInReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#endedInReturn = decoded.endsWith('\r');
    const events: StreamEvent[] = [];
    const [first = '', ...others] = text.split(lineEnd);
    this.#append(first);
    for (const piece of others) {
      const event = this.#endLine();
      if (event) events.push(event);
      this.#append(piece);
    }
    return this.#isTooLarge ? new RefusedAnswer('too_large', 'response too large: an event of more than 1 MB') : events;
  }

  /** The event at the end of the stream, when all that it lacks is its blank line. */
  rest(): StreamEvent | undefined {
    return this.#endLine() ?? this.#endEvent();
  }

  #append(piece: string): void {
    this.#size += piece.length;
    this.#isTooLarge ||= this.#size > largestEvent;
    if (piece !== '') this.#line.push(piece);
  }

  #endLine(): StreamEvent | undefined {
    const line = this.#line.join('');
    this.#line = [];
    if (line === '') return this.#endEvent();
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.#data.push(value);
    else this.#size -= line.length;
    if (name === 'event') this.#type = value;
    return undefined;
  }

  #endEvent(): StreamEvent | undefined {
    const event = { type: this.#type, data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#data = [];
    this.#type = null;
    this.#size = 0;
    return isEmpty ? undefined : event;
  }
}
