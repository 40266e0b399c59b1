import { asciiPunctuation } from './equality.ts';
import { longestCommonSubsequence } from './longest-common-subsequence.ts';
import { porterStem } from './porter-stem.ts';

/** Precision, recall and their harmonic mean; all 0 where nothing is shared. */
interface FMeasure {
  p: number;
  r: number;
  f: number;
}

/** `shared` of `inResponse` and of `inTruth` units; an empty side counts as nothing shared. */
function fMeasure(shared: number, inResponse: number, inTruth: number): FMeasure {
  if (shared === 0 || inResponse === 0 || inTruth === 0) return { p: 0, r: 0, f: 0 };
  const p = shared / inResponse;
  const r = shared / inTruth;
  return { p, r, f: (2 * p * r) / (p + r) };
}

/** How often each run of `n` tokens occurs. A token never holds white space, so a space separates them for sure. */
function countNGrams(tokens: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let start = 0; start + n <= tokens.length; start += 1) {
    const gram = tokens.slice(start, start + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

/** The n-grams that both have, each counted as often as in the text where it is rarer. */
function clippedOverlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let overlap = 0;
  for (const [gram, count] of a) overlap += Math.min(count, b.get(gram) ?? 0);
  return overlap;
}

/** Number of n-grams in a text of so many tokens. */
const nGramTotal = (tokens: number, n: number): number => Math.max(0, tokens - n + 1);

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
function words(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}

interface Bleu {
  score: number;
  /** Of orders 1 to 4 after smoothing; 0 for an order that the response is too short for. */
  precisions: number[];
  brevityPenalty: number;
}

const orders = [1, 2, 3, 4];

/**
 * Sentence BLEU with 13a tokens, exponential smoothing and effective order; null when the reference has no token. No
 * match at any order is 0, and an order without n-grams in the response ends the mean early.
 */
export function bleu(response: string, truth: string): Bleu | null {
  const hypothesis = tokenize13a(response);
  const reference = tokenize13a(truth);
  if (reference.length === 0) return null;
  const counted = orders.map((n) => ({
    matches: clippedOverlap(countNGrams(hypothesis, n), countNGrams(reference, n)),
    total: nGramTotal(hypothesis.length, n),
  }));
  const brevityPenalty = penalty(hypothesis.length, reference.length);
  if (counted.every(({ matches }) => matches === 0)) return { score: 0, precisions: [0, 0, 0, 0], brevityPenalty };
  const precisions = smooth(counted);
  const used = precisions.filter((_, index) => (counted[index]?.total ?? 0) > 0);
  const meanLog = used.reduce((sum, precision) => sum + Math.log(precision), 0) / used.length;
  return { score: Math.min(1, brevityPenalty * Math.exp(meanLog)), precisions, brevityPenalty };
}

function smooth(counted: readonly { matches: number; total: number }[]): number[] {
  let zeroOrders = 0;
  return counted.map(({ matches, total }) => {
    if (total === 0) return 0;
    if (matches > 0) return matches / total;
    zeroOrders += 1;
    return 1 / (2 ** zeroOrders * total);
  });
}

function penalty(response: number, reference: number): number {
  if (response >= reference) return 1;
  return response === 0 ? 0 : Math.exp(1 - reference / response);
}

/** ROUGE-N without stemming; null when the reference has no token. Only ASCII letters and digits count. */
export function rougeN(response: string, truth: string, n: 1 | 2): FMeasure | null {
  const a = rougeTokens(response);
  const b = rougeTokens(truth);
  if (b.length === 0) return null;
  const shared = clippedOverlap(countNGrams(a, n), countNGrams(b, n));
  return fMeasure(shared, nGramTotal(a.length, n), nGramTotal(b.length, n));
}

/** ROUGE-L over the whole texts as one sentence each; null when the reference has no token. */
export function rougeL(response: string, truth: string): FMeasure | null {
  const a = rougeTokens(response);
  const b = rougeTokens(truth);
  if (b.length === 0) return null;
  return fMeasure(longestCommonSubsequence(a, b), a.length, b.length);
}

function rougeTokens(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== '');
}

/** F of the words that both texts have, articles and ASCII punctuation aside; null when the reference has no word. */
export function f1(response: string, truth: string): number | null {
  const a = f1Tokens(response);
  const b = f1Tokens(truth);
  if (b.length === 0) return null;
  return fMeasure(clippedOverlap(countNGrams(a, 1), countNGrams(b, 1)), a.length, b.length).f;
}

function f1Tokens(text: string): string[] {
  const plain = text.toLowerCase().replace(asciiPunctuation, '');
  return words(plain.replace(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu, ' '));
}

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
