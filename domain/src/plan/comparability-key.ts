import type { ChangedPart } from '@proofmark/contracts/verdict';

/** Equal for two test runs that may be compared: the case, what measures it, and what the run was asked for. */
export const comparabilityKey = (caseHash: string, instrumentHash: string, settingKey: string): string =>
  JSON.stringify([caseHash, instrumentHash, settingKey]);

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
  const value = readJson(key);
  if (!Array.isArray(value)) return null;
  const [caseHash, instrument, setting, ...rest] = value;
  const isKey = [caseHash, instrument, setting].every((part) => typeof part === 'string') && rest.length === 0;
  return isKey ? { caseHash, instrument, setting } : null;
}

function readObject(text: string): Record<string, unknown> {
  const value = readJson(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Undefined for what is no JSON: results of another kind have keys of their own. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
