/**
 * Equal after NFC, lower case, trimming and folding white space, `_` and `-` to one space. Two numbers are equal within
 * 1e-9 relative; thousands separators do not count and `%` divides by 100.
 */
export function fuzzyEqual(expected: string, actual: string): boolean {
  const a = foldText(expected);
  const b = foldText(actual);
  if (a === b) return true;
  const x = readNumber(expected);
  const y = readNumber(actual);
  return x !== undefined && y !== undefined && Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
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
