export interface PhraseSearch {
  passed: boolean;
  matched: string[];
  missing: string[];
}

/** Which phrases occur literally in the response; both in NFC, case ignored unless asked for, white space never folded. */
export function containsPhrases(response: string, phrases: readonly string[], caseSensitive = false): PhraseSearch {
  const fold = (text: string): string => (caseSensitive ? text.normalize('NFC') : text.normalize('NFC').toLowerCase());
  const text = fold(response);
  const found = Object.groupBy(phrases, (phrase) => (text.includes(fold(phrase)) ? 'matched' : 'missing'));
  const missing = found.missing ?? [];
  return { passed: missing.length === 0, matched: found.matched ?? [], missing };
}
