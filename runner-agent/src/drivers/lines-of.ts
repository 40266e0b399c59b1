import type { Readable } from 'node:stream';
import { RefusedAnswer } from '../models/refused-answer.ts';

/**
 * The lines of a program's output as they come, a last one without its end too. A line of more characters than `largest`
 * is refused while it is read: a program that never ends one would fill the memory.
 */
export async function* linesOf(output: Readable, largest: number): AsyncGenerator<string, undefined> {
  output.setEncoding('utf8');
  let pieces: string[] = [];
  let size = 0;
  for await (const chunk of output) {
    // With an encoding set a chunk is a text.
    const [first = '', ...others] = (chunk as string).split('\n');
    pieces.push(first);
    size += first.length;
    for (const next of others) {
      yield withoutReturn(pieces.join(''));
      pieces = [next];
      size = next.length;
    }
    if (size > largest) throw new RefusedAnswer('too_large', 'response too large: more than 8 MB');
  }
  if (size > 0) yield pieces.join('');
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
