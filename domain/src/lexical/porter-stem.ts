/** Words whose stem no rule finds. A Map, because "constructor" is a word, too. */
const irregular: ReadonlyMap<string, string> = new Map([
  ['sky', 'sky'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['news', 'news'],
  ['inning', 'inning'],
  ['innings', 'inning'],
  ['outing', 'outing'],
  ['outings', 'outing'],
  ['canning', 'canning'],
  ['cannings', 'canning'],
  ['howe', 'howe'],
  ['proceed', 'proceed'],
  ['exceed', 'exceed'],
  ['succeed', 'succeed'],
]);

interface Rule {
  suffix: string;
  replacement: string;
  /** Asked about what is left without the suffix; where it says no, the word stays and no later rule is tried. */
  when?: (stem: string) => boolean;
}

const step2Rules = rules(isMeasured, [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['fulli', 'ful'],
]);
/** Measured with its `l`, so that short stems such as "geo" count like "archaeo". */
const logiRule: Rule = { suffix: 'logi', replacement: 'log', when: (stem) => isMeasured(`${stem}l`) };

const step3Rules = rules(isMeasured, [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]);

const isLong = (stem: string): boolean => measure(stem) > 1;
const step4Endings = ['al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent'];
const step4Rules: readonly Rule[] = [
  ...rules(isLong, step4Endings.map(removed)),
  { suffix: 'ion', replacement: '', when: (stem) => isLong(stem) && /[st]$/.test(stem) },
  ...rules(isLong, ['ou', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'].map(removed)),
];

/** The stem of a lower-case word by Porter's rules with NLTK's extensions; words of up to two letters stay as they are. */
export function porterStem(word: string): string {
  const known = irregular.get(word);
  if (known !== undefined) return known;
  if (word.length <= 2) return word;
  const singular = step1b(step1a(word));
  const derived = step2(apply(singular, [{ suffix: 'y', replacement: 'i', when: endsInLateConsonant }]));
  return step5(apply(apply(derived, step3Rules), step4Rules));
}

function step1a(word: string): string {
  if (word.length === 4 && word.endsWith('ies')) return word.slice(0, -1);
  return apply(word, [
    { suffix: 'sses', replacement: 'ss' },
    { suffix: 'ies', replacement: 'i' },
    { suffix: 'ss', replacement: 'ss' },
    { suffix: 's', replacement: '' },
  ]);
}

function step1b(word: string): string {
  if (word.endsWith('ied')) return word.length === 4 ? word.slice(0, -1) : word.slice(0, -2);
  if (word.endsWith('eed')) return isMeasured(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const suffix = ['ed', 'ing'].find((each) => word.endsWith(each) && hasVowel(word.slice(0, -each.length)));
  return suffix === undefined ? word : mend(word.slice(0, -suffix.length));
}

/** Repairs what taking off "ed" or "ing" left: "conflat" to "conflate", "hopp" to "hop", "fil" to "file". */
function mend(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function step2(word: string): string {
  // Tried first and then again from the start, so that "rationally" loses both of its endings.
  if (word.endsWith('alli') && isMeasured(word.slice(0, -4))) return step2(word.slice(0, -2));
  return apply(word, [...step2Rules, logiRule]);
}

function step5(word: string): string {
  const stem = word.slice(0, -1);
  const dropsE = word.endsWith('e') && (measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem)));
  const result = dropsE ? stem : word;
  return result.endsWith('ll') && measure(result.slice(0, -1)) > 1 ? result.slice(0, -1) : result;
}

/** The first rule whose suffix fits decides, also when its condition refuses. */
function apply(word: string, list: readonly Rule[]): string {
  const rule = list.find(({ suffix }) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const stem = word.slice(0, word.length - rule.suffix.length);
  return rule.when && !rule.when(stem) ? word : stem + rule.replacement;
}

function rules(when: (stem: string) => boolean, endings: readonly (readonly [string, string])[]): Rule[] {
  return endings.map(([suffix, replacement]) => ({ suffix, replacement, when }));
}

function removed(suffix: string): readonly [string, string] {
  return [suffix, ''];
}

/** One letter per letter: `c` consonant, `v` vowel; a `y` is a vowel after a consonant. */
function shape(word: string): string {
  let sofar = '';
  for (const letter of word.split('')) {
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && sofar.endsWith('c'));
    sofar += isVowel ? 'v' : 'c';
  }
  return sofar;
}

/** How often a consonant follows a vowel. */
function measure(stem: string): number {
  return shape(stem).split('vc').length - 1;
}

function isMeasured(stem: string): boolean {
  return measure(stem) > 0;
}

const hasVowel = (stem: string): boolean => shape(stem).includes('v');

const endsInLateConsonant = (stem: string): boolean => stem.length > 1 && shape(stem).endsWith('c');

const endsInDoubleConsonant = (word: string): boolean =>
  word.length >= 2 && word.at(-1) === word.at(-2) && shape(word).endsWith('c');

/** Consonant, vowel, consonant other than w, x, y; or a stem of two letters, vowel and consonant. */
function endsShort(word: string): boolean {
  const form = shape(word);
  return form === 'vc' || (form.endsWith('cvc') && !/[wxy]$/.test(word));
}
