import { ChunkGatherer } from './gather-chunks.ts';
import type { BodyReader } from './read-answer.ts';
import { AbandonedStream, RefusedAnswer } from './refused-answer.ts';
import { EventSplitter } from './split-events.ts';

const largestBody = 8 * 1024 * 1024;
const tooLarge = (): RefusedAnswer => new RefusedAnswer('too_large', 'response too large: more than 8 MB');

/** What was read: the bytes of an answer in one piece, or what the chunks of a stream make together. */
export type AnswerBody = Buffer | { completion: unknown };

/** Keeps the bytes of an answer, up to 8 MB. */
export function readWhole(): BodyReader<AnswerBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    take(chunk) {
      size += chunk.length;
      if (size > largestBody) return tooLarge();
      chunks.push(chunk);
      return undefined;
    },
    end: () => ({ body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size) }),
  };
}

/** Puts a streamed completion together while it comes, up to 8 MB. An end in the middle of the answer is a broken connection. */
export function readStreamed(): BodyReader<AnswerBody> {
  const splitter = new EventSplitter();
  const gatherer = new ChunkGatherer();
  let size = 0;
  let isOver = false;
  return {
    take(chunk) {
      size += chunk.length;
      if (size > largestBody) return tooLarge();
      const events = splitter.take(chunk);
      if (events instanceof RefusedAnswer) return events;
      for (const event of events) {
        const verdict = gatherer.take(event);
        isOver ||= verdict === 'over';
        if (verdict !== undefined) return verdict;
      }
      return undefined;
    },
    end() {
      const rest = isOver ? undefined : splitter.rest();
      // A last event without its blank line may be half of one, so it is no fault when it cannot be read.
      const verdict = rest && gatherer.take(rest);
      if (verdict instanceof AbandonedStream) return verdict;
      if (isOver || verdict === 'over' || gatherer.isWhole) return { body: { completion: gatherer.completion() } };
      return new Error('the stream ended in the middle of the answer');
    },
  };
}
