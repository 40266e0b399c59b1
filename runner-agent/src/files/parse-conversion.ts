import { z } from 'zod';
import type { Conversion, Converted } from './convert/conversion.ts';
import { mostCharacters } from './convert/fit-markdown.ts';

const count = z.int().min(0);
const Facts = z.strictObject({
  format: z.string().max(20),
  pages: count.optional(),
  sheets: z.array(z.string()).optional(),
  rows: count.optional(),
  width: count.optional(),
  height: count.optional(),
  truncated: z.literal(true).optional(),
});
const ConvertedShape = z.strictObject({ markdown: z.string().min(1).max(mostCharacters), facts: Facts });
const Failure = z.strictObject({
  ok: z.literal(false),
  code: z.enum(['type_mismatch', 'empty', 'encrypted', 'too_large', 'not_found', 'unreadable']),
  message: z.string().max(1_000),
});
const Answer = z.union([Failure, ConvertedShape.extend({ ok: z.literal(true) })]);

/** What a child answered; undefined when it is nothing that a sound one would say. */
export function parseConversion(text: string): Conversion | undefined {
  const answer = Answer.safeParse(parseJson(text)).data;
  if (answer === undefined || !answer.ok) return answer;
  return { ok: true, markdown: answer.markdown, facts: present(answer.facts) };
}

/** A stored conversion; undefined when it is broken. */
export function parseConverted(text: string): Converted | undefined {
  const converted = ConvertedShape.safeParse(parseJson(text)).data;
  return converted && { markdown: converted.markdown, facts: present(converted.facts) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Broken is all that anybody wants to know.
    return undefined;
  }
}

/** Optional keys of zod may be undefined, ours are absent then. */
function present({ format, pages, sheets, rows, width, height, truncated }: z.infer<typeof Facts>): Converted['facts'] {
  return {
    format,
    ...(pages !== undefined && { pages }),
    ...(sheets !== undefined && { sheets }),
    ...(rows !== undefined && { rows }),
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(truncated !== undefined && { truncated }),
  };
}
