import type { Verdict } from '@proofmark/contracts/verdict';
import { decideVerdict, type VerdictInput } from './decide-verdict.ts';
import { settings } from './sample-trials.fixture.ts';

/** The verdict under the settings of a new suite, unless others are given. */
export function decide(input: Partial<VerdictInput> & Pick<VerdictInput, 'head' | 'base'>): Verdict {
  return decideVerdict({ settings: settings(), ...input });
}
