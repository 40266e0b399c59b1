import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { recordedSteps } from '@proofmark/runner-agent/geval-evaluator';
import { CaseAborted, runCase } from '@proofmark/runner-agent/run-case';
import type { ModelKeys } from '../environment.ts';
import { openPorts } from '../run/case-ports.ts';

interface Repeat {
  work: CaseWork;
  /** What came of it: what simulated tools answered then they say again, and steps that were written are followed again. */
  outcome: CaseOutcome;
  keys: ModelKeys;
  root: string;
  signal: AbortSignal;
}

/** Runs stored work once more in this process, with nothing looked up anew; null when it was interrupted. Nothing is stored. */
export async function repeatTestRun({ work, outcome, keys, root, signal }: Repeat): Promise<CaseOutcome | null> {
  const { cassette = [], ...instrument } = work.instrument;
  const all = [...cassette, ...(outcome.mocks?.recorded ?? []), ...recordedSteps(work, outcome)];
  const known = all.length === 0 ? work : { ...work, instrument: { ...instrument, cassette: all } };
  await using open = openPorts({ keys, root });
  try {
    return await runCase(known, open.ports, signal);
  } catch (error) {
    if (error instanceof CaseAborted) return null;
    throw error;
  }
}
