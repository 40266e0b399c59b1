import { redact } from './redact.ts';

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
