/** Control, format, separator, tag and bidi characters, variation selectors and fillers; line breaks and tabs are left alone. */
const invisible = /[^\P{Cc}\t\n]|[\u2028\u2029\p{Cf}\u115f\u1160\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** The text with every character that nobody sees spelled out, because it can hide or reorder text on its way to a model. */
export function showInvisible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .toWellFormed()
    .replace(invisible, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
