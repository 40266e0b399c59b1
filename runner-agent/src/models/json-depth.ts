const deepest = 64;
/** A whole JSON string, or one bracket outside of strings; an unfinished string runs to the end. */
const stringOrBracket = /"(?:[^"\\]|\\.)*(?:"|$)|[[\]{}]/gs;

/** Whether brackets in this JSON text nest deeper than 64: found by one scan, before a parser recurses into it. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (const [token] of json.matchAll(stringOrBracket)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}
