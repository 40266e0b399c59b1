/**
 * Equal after NFC, lower case, trimming and folding white space, `_` and `-` to one space. Two numbers are equal within
 * 1e-9 relative; thousands separators do not count and `%` divides by 100.
 */
export function fuzzyEqual(expected: string, actual: string): boolean {
  const x = readNumber(expected);
  const y = readNumber(actual);
  // As texts -5 and 5 would be equal: the sign is a dash, and dashes are folded away.
  if (x !== undefined && y !== undefined) return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
  return foldText(expected) === foldText(actual);
}

function foldText(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

function readNumber(text: string): number | undefined {
  const compact = text.trim().replace(/(?<=\d)[,_\s\u00a0\u202f](?=\d{3}(?!\d))/g, '');
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(%?)$/i.exec(compact);
  if (!match) return undefined;
  return Number(match[1]) / (match[2] === '%' ? 100 : 1);
}
