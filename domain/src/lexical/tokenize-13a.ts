const entities: readonly (readonly [RegExp, string])[] = [
  [/&quot;/g, '"'],
  [/&amp;/g, '&'],
  [/&lt;/g, '<'],
  [/&gt;/g, '>'],
];

/** The tokens that BLEU counts: the "13a" rules, by which scores of different tools can be compared. Case is kept. */
export function tokenize13a(text: string): string[] {
  const joined = text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' ');
  const plain = entities.reduce((sofar, [entity, character]) => sofar.replace(entity, character), joined);
  const spaced = ` ${plain} `
    // Every ASCII punctuation mark except ' , - . stands alone.
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replace(/([^0-9])([.,])/gu, '$1 $2 ')
    .replace(/([.,])([^0-9])/gu, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return words(spaced);
}

/** What stands between white space. */
export function words(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}
