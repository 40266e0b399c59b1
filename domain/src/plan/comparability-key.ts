import { parseJson } from '@proofmark/contracts/parse-json';
import type { CaseComparison, ChangedPart, Phrase } from '@proofmark/contracts/verdict';
import { plural } from '../text/format-numbers.ts';

/** Equal for two test runs that may be compared: the case, what measures it, and what the run was asked for. */
export const comparabilityKey = (caseHash: string, instrumentHash: string, settingKey: string): string =>
  JSON.stringify([caseHash, instrumentHash, settingKey]);

/** The same for many cases of one setting: what measures them is long, and mostly that of the case before. */
export function comparabilityKeys(settingKey: string): (caseHash: string, instrumentHash: string) => string {
  let last = { instrument: '', end: '' };
  return (caseHash, instrument) => {
    if (last.end === '' || instrument !== last.instrument)
      last = { instrument, end: `,${JSON.stringify(instrument)},${JSON.stringify(settingKey)}]` };
    return `[${JSON.stringify(caseHash)}${last.end}`;
  };
}

/** The key without what the run was asked for: two cells of a matrix are compared because they differ in that. */
export function withoutSetting(key: string): string {
  const read = readKey(key);
  return read === null ? key : comparabilityKey(read.caseHash, read.instrument, '');
}

/** The digests of the parts of an instrument behind its hash, so that a comparison can name the part that changed. */
export const withParts = (hash: string, parts: Readonly<Record<string, string>>): string =>
  [hash, ...Object.entries(parts).map(([name, digest]) => `${name}=${digest.slice(0, 12)}`)].join(' ');

/** What the keys of two test runs differ in, in a fixed order; empty for equal ones. */
export function changedParts(base: string, head: string): ChangedPart[] {
  if (base === head) return [];
  const [ofBase, ofHead] = [readKey(base), readKey(head)];
  if (ofBase === null || ofHead === null) return ['measurement'];
  const setting = changedSetting(ofBase.setting, ofHead.setting);
  return [
    ...(ofBase.caseHash === ofHead.caseHash ? [] : (['case'] as const)),
    ...changedInstrument(ofBase.instrument, ofHead.instrument),
    ...setting,
  ];
}

/** What looks at an answer that is there. Everything else has a part in how it came about. */
const judgingParts: readonly ChangedPart[] = ['judge', 'embedding', 'metrics', 'evaluator'];

/** Whether nothing differs but what judges: then what was said can be judged again. */
export const isOnlyJudging = (parts: readonly ChangedPart[]): boolean =>
  parts.length > 0 && parts.every((part) => judgingParts.includes(part));

/**
 * Whether what was said under one key may be judged under the other: the same case, asked in the same setting, and only
 * what judges it is another one. Prompts of Proofmark's own, which a new evaluator may change, also make a simulated
 * conversation what it is.
 */
export function canJudgeAgain(base: string, head: string, { isSimulated }: { isSimulated: boolean }): boolean {
  const parts = changedParts(base, head);
  return isOnlyJudging(parts) && !(isSimulated && parts.includes('evaluator'));
}

const instrumentParts = ['judge', 'simulator', 'mock', 'embedding', 'metrics', 'limits', 'evaluator'] as const;

function changedInstrument(base: string, head: string): ChangedPart[] {
  if (base === head) return [];
  const [ofBase, ofHead] = [readParts(base), readParts(head)];
  const changed = instrumentParts.filter((part) => ofBase.get(part) !== ofHead.get(part));
  return changed.length === 0 ? ['measurement'] : changed;
}

const readParts = (instrument: string): Map<string, string> =>
  new Map(
    instrument
      .split(' ')
      .slice(1)
      .map((part) => {
        const [name = '', digest = ''] = part.split('=');
        return [name, digest] as const;
      }),
  );

/** The AI configuration is told apart from the other values that a run or a cell of its matrix chooses. */
function changedSetting(base: string, head: string): ChangedPart[] {
  if (base === head) return [];
  const [ofBase, ofHead] = [readObject(base), readObject(head)];
  const names = [...new Set([...Object.keys(ofBase), ...Object.keys(ofHead)])];
  const changed = names.filter((name) => JSON.stringify(ofBase[name]) !== JSON.stringify(ofHead[name]));
  const isConfiguration = (name: string): boolean => name === 'AIConfiguration';
  const parts: ChangedPart[] = [];
  if (changed.some(isConfiguration)) parts.push('ai_configuration');
  if (changed.length === 0 || !changed.every(isConfiguration)) parts.push('setting');
  return parts;
}

function readKey(key: string): { caseHash: string; instrument: string; setting: string } | null {
  const value = parseJson(key);
  if (!Array.isArray(value)) return null;
  const [caseHash, instrument, setting, ...rest] = value;
  const isKey = [caseHash, instrument, setting].every((part) => typeof part === 'string') && rest.length === 0;
  return isKey ? { caseHash, instrument, setting } : null;
}

function readObject(text: string): Record<string, unknown> {
  // Results of another kind have keys of their own, which are no JSON.
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const words: Record<ChangedPart, string> = {
  case: 'the case itself',
  judge: 'the judge',
  simulator: 'the simulated user',
  mock: 'the mocks',
  embedding: 'the embedding model',
  metrics: 'the metrics',
  limits: 'the limits',
  evaluator: 'the evaluator of Proofmark',
  ai_configuration: 'the AI configuration',
  setting: 'the values of the run',
  measurement: 'the measurement',
};

/** Of one case: `the judge, the mocks`. */
export const changedPartWords = ({ changedParts }: Pick<CaseComparison, 'changedParts'>): string =>
  changedParts.map((part) => words[part]).join(', ');

/** Of several cases: `the judge` when that is all, else `the judge in 12 cases, the case itself in 2 cases`. */
export function changedOverall(cases: readonly CaseComparison[]): string {
  const parts = cases.flatMap(({ changedParts }) => changedParts);
  const counts = [...Map.groupBy(parts, (part) => part)].map(([part, all]) => ({ part, count: all.length }));
  if (counts.every(({ count }) => count === cases.length)) return counts.map(({ part }) => words[part]).join(', ');
  return counts
    .toSorted((a, b) => b.count - a.count)
    .map(({ part, count }) => `${words[part]} in ${plural(count, 'case')}`)
    .join(', ');
}

/** At the beginning of a sentence: `The judge and the metrics`. */
export function changedSubject(parts: readonly ChangedPart[]): string {
  const named = parts.map((part) => words[part]);
  const [last = '', ...before] = named.toReversed();
  const list = before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
  return `${list.slice(0, 1).toUpperCase()}${list.slice(1)}`;
}

/** Whether nothing but cases changed: then the measurement is the same as before. */
export const isOnlyCases = (cases: readonly CaseComparison[]): boolean =>
  cases.every(({ changedParts }) => changedParts.every((part) => part === 'case'));

/** Names, each followed by what `told` says of it; of many the first ones. */
export function namesWith(
  cases: readonly CaseComparison[],
  most: number,
  told: (one: CaseComparison) => string,
): Phrase {
  const shown = cases.slice(0, most).flatMap((one, index): Phrase => {
    const note = told(one);
    return [index === 0 ? '' : ', ', { code: one.caseName }, note === '' ? '' : ` (${note})`];
  });
  const more = cases.length > most ? [` and ${cases.length - most} more`] : [];
  return [...shown, ...more].filter((part) => part !== '');
}
