import { porterStem } from './porter-stem.ts';

/** Pairs of positions: in the response, in the reference. */
type Pair = readonly [response: number, truth: number];

const alpha = 0.9;
const penaltyWeight = 0.5;
const penaltyPower = 3;

/**
 * METEOR with equal words and equal stems, no synonyms; null when the reference has no token. Even equal texts stay below
 * 1, and a single word reaches 0.5 only, because a run of matches counts as a fragment.
 */
export function meteor(response: string, truth: string): number | null {
  const a = meteorTokens(response);
  const b = meteorTokens(truth);
  if (b.length === 0) return null;
  const pairs = align(a, b);
  if (pairs.length === 0) return 0;
  const precision = pairs.length / a.length;
  const recall = pairs.length / b.length;
  const mean = (precision * recall) / (alpha * precision + (1 - alpha) * recall);
  return mean * (1 - penaltyWeight * (countChunks(pairs) / pairs.length) ** penaltyPower);
}

function meteorTokens(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Equal words first, then equal stems among what is left; in the order of the response. */
function align(a: readonly string[], b: readonly string[]): Pair[] {
  const equal = pairUp([...a.entries()], [...b.entries()]);
  const usedA = new Set(equal.map(([response]) => response));
  const usedB = new Set(equal.map(([, truth]) => truth));
  const stems = pairUp(stemsOfRest(a, usedA), stemsOfRest(b, usedB));
  return [...equal, ...stems].sort(([x], [y]) => x - y);
}

const stemsOfRest = (tokens: readonly string[], used: ReadonlySet<number>): [number, string][] =>
  [...tokens.entries()].filter(([index]) => !used.has(index)).map(([index, token]) => [index, porterStem(token)]);

/** Walks the response from its end and pairs each word with the last free equal one of the reference. */
function pairUp(a: readonly [number, string][], b: readonly [number, string][]): Pair[] {
  const free = new Map<string, number[]>();
  for (const [index, word] of b) {
    const places = free.get(word);
    if (places) places.push(index);
    else free.set(word, [index]);
  }
  return a.toReversed().flatMap(([index, word]): Pair[] => {
    const last = free.get(word)?.pop();
    return last === undefined ? [] : [[index, last]];
  });
}

/** The runs of pairs that are neighbours in both texts. */
function countChunks(pairs: readonly Pair[]): number {
  return pairs.filter(([response, truth], index) => {
    const before = pairs[index - 1];
    return before === undefined || before[0] + 1 !== response || before[1] + 1 !== truth;
  }).length;
}
