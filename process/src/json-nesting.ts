/**
 * How deep a message of a runner may nest: what models and agents answer is taken up to a depth of 64, and lies a few
 * levels down in the message. A result that were refused for its depth would be sent again for ever.
 */
export const deepestMessage = 80;

const openers = new Set([0x5b, 0x7b]);
const closers = new Set([0x5d, 0x7d]);
const quote = 0x22;
const backslash = 0x5c;

/** Whether brackets in a JSON text nest at most `limit` deep: one linear scan, before any parser sees the text. */
export function nestsAtMost(limit: number, text: string | Uint8Array): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (openers.has(byte)) depth++;
    else if (closers.has(byte)) depth--;
    if (depth > limit) return false;
  }
  return true;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
