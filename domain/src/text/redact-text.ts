/** A block of a private key, up to the end of the text where its end is missing. */
const keyBlock = /-----BEGIN [A-Z0-9 ]{0,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g;

/** How each kind of key begins. Nothing of a word may stand before it. */
const beginning =
  /(?<!\w)(?:github_pat_|gh[pousr]_|glpat-|sk-|[prs]k_(?:live|test)_|pm[kr]_|gsk_|hf_|r8_|npm_|xai-|AKIA|AIza|xox[abprs]-|eyJ)/g;

/** The whole of a key from its beginning, all of what could belong to it included. */
const wholeKeys: readonly RegExp[] = [
  /github_pat_\w{20,}/y,
  /gh[pousr]_[A-Za-z0-9]{20,}/y,
  /(?:sk-|pm[kr]_)[A-Za-z0-9_-]{16,}/y,
  /(?:[prs]k_(?:live|test)_|gsk_|hf_|r8_|npm_)[A-Za-z0-9]{20,}/y,
  /(?:glpat-|xai-)[A-Za-z0-9_-]{20,}/y,
  /AKIA[0-9A-Z]{16}\b/y,
  /AIza[0-9A-Za-z_-]{35,}/y,
  /xox[abprs]-[A-Za-z0-9-]{10,}/y,
];

const redacted = (): string => '[redacted]';

/**
 * The text with everything that looks like a key, a token or a private key block replaced by `[redacted]`, or by what
 * `instead` says. Values of known secrets are masked in the runner already. It reads each character a few times at most,
 * whatever the text repeats: what models and strangers wrote comes through here.
 */
export function redactText(text: string, instead: (secret: string) => string = redacted): string {
  const withoutBlocks = text.includes('-----BEGIN ') ? text.replaceAll(keyBlock, (block) => instead(block)) : text;
  const endOfToken = tokenEnds(withoutBlocks);
  const kept: string[] = [];
  let keptTo = 0;
  beginning.lastIndex = 0;
  for (let found = beginning.exec(withoutBlocks); found !== null; found = beginning.exec(withoutBlocks)) {
    const { index: start } = found;
    const end = endOfKey(withoutBlocks, start) ?? endOfToken(start);
    if (end === null) continue;
    kept.push(withoutBlocks.slice(keptTo, start), instead(withoutBlocks.slice(start, end)));
    keptTo = end;
    beginning.lastIndex = end;
  }
  return keptTo === 0 ? withoutBlocks : kept.join('') + withoutBlocks.slice(keptTo);
}

function endOfKey(text: string, start: number): number | null {
  for (const key of wholeKeys) {
    key.lastIndex = start;
    if (key.test(text)) return key.lastIndex;
  }
  return null;
}

const tokenPart = /[A-Za-z0-9_-]*/y;
const leastPartUnits = 10;

/**
 * Where the signed token ends that begins at a place with `eyJ`: three parts with dots between. Many such places may stand in
 * one part, and all of them end alike, so a part is read once.
 */
function tokenEnds(text: string): (start: number) => number | null {
  let partEnd = 0;
  let tokenEnd: number | null = null;
  const endOfPart = (from: number): number => {
    tokenPart.lastIndex = from;
    tokenPart.test(text);
    return tokenPart.lastIndex;
  };
  return (start) => {
    if (!text.startsWith('eyJ', start)) return null;
    if (start >= partEnd) {
      partEnd = endOfPart(start);
      tokenEnd = null;
      const second = endOfPart(partEnd + 1);
      const third = endOfPart(second + 1);
      const hasDots = text[partEnd] === '.' && text[second] === '.';
      if (hasDots && second - partEnd > leastPartUnits && third - second > leastPartUnits) tokenEnd = third;
    }
    return partEnd - start >= 'eyJ'.length + leastPartUnits ? tokenEnd : null;
  };
}
