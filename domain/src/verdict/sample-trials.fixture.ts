import { Gate } from '@proofmark/contracts/gate';
import type { Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { plainPhrase } from '../text/phrase.ts';
import type { Trial } from './count-trials.ts';

export type SampleOutcome = 'pass' | 'fail' | 'agent-error' | 'judge-error' | 'skip';

const states: Record<SampleOutcome, Pick<Trial, 'status' | 'errorKind'>> = {
  pass: { status: 'passed', errorKind: null },
  fail: { status: 'failed', errorKind: null },
  'agent-error': { status: 'error', errorKind: 'timeout' },
  'judge-error': { status: 'error', errorKind: 'judge' },
  skip: { status: 'skipped', errorKind: null },
};

/** So many trials of one case that all end alike. */
export function trials(caseName: string, outcome: SampleOutcome, count: number, comparabilityKey = caseName): Trial[] {
  return Array.from({ length: count }, () => ({ caseName, comparabilityKey, ...states[outcome] }));
}

/** Trials of one case of which so many passed. */
export const mixed = (caseName: string, passed: number, scored: number): Trial[] => [
  ...trials(caseName, 'pass', passed),
  ...trials(caseName, 'fail', scored - passed),
];

/** `case-1` to `case-<count>`, each with as many trials as repetitions. */
export function cases(count: number, outcome: SampleOutcome, repetitions: number): Trial[] {
  return Array.from({ length: count }, (_, index) => trials(`case-${index + 1}`, outcome, repetitions)).flat();
}

export function settings(gate: Partial<Gate> = {}, rest: Partial<VerdictSettings> = {}): VerdictSettings {
  const defaults = { alertOnRegression: true, alertThresholdPercent: 10, onError: 'block' as const };
  return { gate: Gate.parse(gate), ...defaults, ...rest };
}

/** Title, paragraph and lines as a terminal shows them. */
export function read(verdict: Verdict): string {
  return [verdict.title, plainPhrase(verdict.paragraph), ...verdict.lines.map(plainPhrase)].join('\n');
}
