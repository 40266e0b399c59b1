const deepest = 64;
/** A whole JSON string, or one bracket outside of strings; an unfinished string runs to the end. */
const stringOrBracket = /"(?:[^"\\]|\\.)*(?:"|$)|[[\]{}]/gs;

/** Whether brackets in this JSON text nest deeper than 64: found by one scan, before a parser recurses into it. */
export function isTooDeep(json: string): boolean {
  if (!hasManyBrackets(json)) return false;
  let depth = 0;
  for (const [token] of json.matchAll(stringOrBracket)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/** Most answers have too few brackets to nest too deeply, and counting them is a tenth of the scan. */
function hasManyBrackets(json: string): boolean {
  let opening = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) opening += 1;
    if (opening > deepest) return true;
  }
  return false;
}
