/** Characters that show nothing or reorder what is shown. Line breaks, tabs and what joins emoji and letters are ordinary text. */
const invisible = /(?!\n|\t|\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text without keys, and with every character that could hide or turn it round shown as `\u{202E}`. */
export function visible(text: string): string {
  return redact(text)
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll(invisible, (character) => {
      const codePoint = character.codePointAt(0) ?? 0;
      return `\\u{${codePoint.toString(16).toUpperCase().padStart(4, '0')}}`;
    });
}

/** Shapes of keys that no page may show, whoever wrote them. A test holds them against those of all other surfaces. */
const keyShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g,
  /\b(?:github_pat_\w{20,255}|gh[pousr]_[A-Za-z0-9]{20,255}|sk-[A-Za-z0-9_-]{16,255}|pm[kr]_[A-Za-z0-9_-]{16,255})/g,
  /\b(?:AKIA[0-9A-Z]{16}\b|AIza[0-9A-Za-z_-]{35}|xox[abprs]-[A-Za-z0-9-]{10,255})/g,
  /\beyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}/g,
];

/** The text with everything that looks like a key, a token or a private key block replaced by `[redacted]`. */
export const redact = (text: string): string =>
  keyShapes.reduce((redacted, shape) => redacted.replaceAll(shape, '[redacted]'), text);
