import type { CaseWork } from '@proofmark/contracts/case-work';
import { TestCase } from '@proofmark/contracts/test-case';
import { CaseAborted, type CasePorts, runCase } from '@proofmark/runner-agent/run-case';
import { openSlots, runInSlots } from '../limits.ts';
import type { AbPair } from './comparison-store.ts';

/** Nothing that a case asks: an answer to it tells nothing, and caches of the provider learn nothing of the questions. */
const greeting = TestCase.parse({ name: 'Warm-up', kind: 'single', input: 'Hello' });
const onceOnly = { maxAttempts: 1, initialDelayMs: 0, backoffFactor: 1 };

/**
 * Each side says one thing to each model that it will ask, and what comes of it counts nowhere: code that never ran, a
 * connection that is not open and a model that is not loaded would else be billed to whoever is asked first.
 */
export async function warmUp(
  pairs: readonly AbPair[],
  { ports, signal }: { ports: CasePorts; signal: AbortSignal },
): Promise<void> {
  const sides = pairs.flatMap(({ baseline, candidate }) =>
    [baseline, candidate].flatMap((side) => ('work' in side ? [side.work] : [])),
  );
  const firsts = [...new Map(sides.toReversed().map((work) => [asked(work), work])).values()];
  await runInSlots(firsts, openSlots(2), async ({ contents: _none, ...work }) => {
    try {
      await runCase({ ...work, case: greeting }, { ...ports, watch: { retry: onceOnly } }, signal);
    } catch (error) {
      if (!(error instanceof CaseAborted)) throw error;
    }
  });
}

/** Who answers, and where. */
const asked = ({ variant, agent, model }: CaseWork): string =>
  JSON.stringify([variant, agent.driver, model?.base_url, model?.model]);
