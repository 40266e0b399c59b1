import type { Finding } from './finding.ts';

/** Larger files are refused before anything else looks at them. */
const MAX_FILE_BYTES = 262_144;

type SourceText =
  | { ok: true; text: string }
  | { ok: false; message: string; hint?: string; offset: number; code: 'limit' | 'parse_error' };

/** The text of a file, by default one of definitions, or the one reason why it is not text that a person can have meant. */
export function readSourceText(content: string | Uint8Array, mostBytes = MAX_FILE_BYTES): SourceText {
  const bytes = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength;
  if (bytes > mostBytes) {
    return refuse(
      0,
      `file too large: size ${bytes} bytes, limit ${mostBytes}`,
      'Split the file into several suites.',
      'limit',
    );
  }
  const decoded = typeof content === 'string' ? content : decode(content);
  if (decoded === undefined || isUtf16(content))
    return refuse(0, `not valid UTF-8${isUtf16(content) ? ': it looks like UTF-16' : ''}`, 'Save the file as UTF-8.');
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  const offset = firstForbidden(text);
  if (offset !== undefined) return refuse(offset, forbiddenMessage(text, offset));
  return { ok: true, text };
}

/** A mark of its order of bytes, or a first character with a byte that is 0: no text of UTF-8 begins like that. */
function isUtf16(content: string | Uint8Array): boolean {
  if (typeof content === 'string') return false;
  const [first, second] = content;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (content.byteLength >= 2 && (first === 0) !== (second === 0));
}

/** Control characters but for tab and line ends, and halves of surrogate pairs. */
const forbidden = /(?![\t\n\r])\p{Cc}|\p{Cs}/u;

/** Position of the first character that a file's text or a decoded string must not have. */
function firstForbidden(text: string): number | undefined {
  const at = text.search(forbidden);
  return at < 0 ? undefined : at;
}

function forbiddenMessage(text: string, offset: number): string {
  const unit = text.charCodeAt(offset);
  if (unit === 0) return 'contains NUL, a control character';
  if (unit >= 0xd800 && unit <= 0xdfff) return 'contains a lone surrogate';
  return `contains the control character U+${unit.toString(16).toUpperCase().padStart(4, '0')}`;
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

/** Why a single value cannot be kept as it is, or undefined. Infinity and NaN would become null in the database. */
export function scalarProblem(value: unknown): Pick<Finding, 'code' | 'message' | 'hint'> | undefined {
  if (typeof value === 'string') {
    const offset = firstForbidden(value);
    return offset === undefined ? undefined : { code: 'invalid_format', message: forbiddenMessage(value, offset) };
  }
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  if (typeof value === 'number' || typeof value === 'bigint') {
    return {
      code: 'out_of_range',
      message: 'must be a finite number between -(2^53 - 1) and 2^53 - 1',
      hint: 'Put an identifier with that many digits in quotes.',
    };
  }
  return undefined;
}
