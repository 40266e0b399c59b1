/**
 * How deep a message of a runner may nest: what models and agents answer is taken up to a depth of 64, and lies a few
 * levels down in the message. A result that were refused for its depth would be sent again for ever.
 */
export const deepestMessage = 80;

const quote = 0x22;
const backslash = 0x5c;
const [openList, closeList] = [0x5b, 0x5d];
const [openObject, closeObject] = [0x7b, 0x7d];

/** Whether brackets in a JSON text nest at most `limit` deep: one linear scan, before any parser sees the text. */
export function nestsAtMost(limit: number, text: string | Uint8Array): boolean {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at] ?? 0) {
      case quote:
        at = endOfString(bytes, at);
        break;
      case openList:
      case openObject:
        depth++;
        if (depth > limit) return false;
        break;
      case closeList:
      case closeObject:
        depth--;
        break;
    }
  }
  return true;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
