import { asciiPunctuation } from './plain-text.ts';

export interface EqualityOptions {
  caseInsensitive?: boolean | undefined;
  stripPunctuation?: boolean | undefined;
  stripWhitespace?: boolean | undefined;
}

/** Whether both texts are equal in NFC after the same options, applied in the order of their names here. */
export function isEqualText(response: string, truth: string, options: EqualityOptions = {}): boolean {
  return fold(response, options) === fold(truth, options);
}

function fold(text: string, { caseInsensitive, stripPunctuation, stripWhitespace }: EqualityOptions): string {
  let folded = text.normalize('NFC');
  if (caseInsensitive) folded = folded.toLowerCase();
  if (stripPunctuation) folded = folded.replace(asciiPunctuation, '');
  if (stripWhitespace) folded = folded.replace(/\s+/gu, ' ').trim();
  // Lower case may leave the normal form, as it does for a capital I with a dot.
  return folded.normalize('NFC');
}
