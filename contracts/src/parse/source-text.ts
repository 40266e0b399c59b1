/** Larger files are refused before anything else looks at them. */
export const MAX_FILE_BYTES = 262_144;

export type SourceText =
  | { ok: true; text: string }
  | { ok: false; message: string; hint?: string; offset: number; code: 'limit' | 'parse_error' };

/** The text of a definition file, or the one reason why it is not text that a person can have meant. */
export function readSourceText(content: string | Uint8Array): SourceText {
  const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
  if (bytes > MAX_FILE_BYTES) {
    return refuse(
      0,
      `file too large: size ${bytes} bytes, limit ${MAX_FILE_BYTES}`,
      'Split the file into several suites.',
      'limit',
    );
  }
  const decoded = typeof content === 'string' ? content : decode(content);
  if (decoded === undefined) return refuse(0, 'not valid UTF-8', 'Save the file as UTF-8.');
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  const offset = firstForbidden(text);
  if (offset !== undefined) return refuse(offset, forbiddenMessage(text, offset));
  // A caller that decodes leniently has already replaced bad bytes; keeping the mark would silently change a prompt.
  const replaced = text.indexOf('\uFFFD');
  if (replaced >= 0)
    return refuse(replaced, 'not valid UTF-8 (found the replacement character U+FFFD)', 'Save the file as UTF-8.');
  return { ok: true, text };
}

/** Position of the first control character or lone surrogate, in a file's text or in a decoded string. */
export function firstForbidden(text: string): number | undefined {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x20 && unit < 0x7f) continue;
    if (unit < 0x20 ? !isAllowedControl(unit) : unit <= 0x9f) return at;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (!isPair(text, at)) return at;
    at += 1;
  }
  return undefined;
}

export function forbiddenMessage(text: string, offset: number): string {
  const unit = text.charCodeAt(offset);
  if (unit === 0) return 'contains NUL, a control character';
  if (unit >= 0xd800 && unit <= 0xdfff) return 'contains a lone surrogate';
  return `contains the control character U+${unit.toString(16).toUpperCase().padStart(4, '0')}`;
}

const isAllowedControl = (unit: number): boolean => unit === 0x09 || unit === 0x0a || unit === 0x0d;

function isPair(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  return text.charCodeAt(at) < 0xdc00 && next >= 0xdc00 && next <= 0xdfff;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refuse(
  offset: number,
  message: string,
  hint?: string,
  code: 'limit' | 'parse_error' = 'parse_error',
): SourceText {
  return { ok: false, code, message, offset, ...(hint === undefined ? {} : { hint }) };
}
