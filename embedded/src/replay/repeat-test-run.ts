import type { CaseOutcome, MockUse } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { CaseAborted, runCase } from '@proofmark/runner-agent/run-case';
import type { ModelKeys } from '../environment.ts';
import { openPorts } from '../run/case-ports.ts';

interface Repeat {
  work: CaseWork;
  /** What simulated tools answered then: they say the same again. */
  recorded?: MockUse['recorded'];
  keys: ModelKeys;
  root: string;
  signal: AbortSignal;
}

/** Runs stored work once more in this process, with nothing looked up anew; null when it was interrupted. Nothing is stored. */
export async function repeatTestRun({ work, recorded = [], keys, root, signal }: Repeat): Promise<CaseOutcome | null> {
  const { cassette = [], ...instrument } = work.instrument;
  const all = [...cassette, ...recorded];
  const known = all.length === 0 ? work : { ...work, instrument: { ...instrument, cassette: all } };
  await using open = openPorts({ keys, root });
  try {
    return await runCase(known, open.ports, signal);
  } catch (error) {
    if (error instanceof CaseAborted) return null;
    throw error;
  }
}
