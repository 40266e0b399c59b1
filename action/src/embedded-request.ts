import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import { findBaseline } from '@proofmark/domain/find-baseline';
import type { RunRequest } from '@proofmark/domain/plan-run';
import type { Inputs } from './inputs.ts';

/** What the inputs ask of a run inside this job. Without a base nothing is repeated for the sake of a comparison. */
export function embeddedRequest(inputs: Inputs, isCompared: boolean): RunRequest {
  return {
    variables: {},
    assignments: inputs.variables,
    preset: inputs.preset,
    matrix: {},
    matrixAssignments: inputs.matrix,
    cases: inputs.cases,
    tags: inputs.tags,
    difficulty: inputs.difficulty,
    repetitions: inputs.repetitions,
    compared: isCompared,
    variants: isCompared ? ['baseline', 'candidate'] : ['head'],
  };
}

type Gate = Pick<LoadedSuite['suite'], 'gate' | 'alert_on_regression' | 'alert_threshold_percent'>;

/** The suites with the gates of the base: a change cannot loosen the gate that it has to pass. Also which it would change. */
export function withGatesOf(
  base: LoadedDefinitions,
  suites: readonly LoadedSuite[],
): { suites: LoadedSuite[]; changed: string[] } {
  const changed: string[] = [];
  const gated = suites.map((loaded) => {
    const before = findBaseline(loaded, base);
    if (before === undefined) return loaded;
    const gate = gateOf(before);
    if (canonicalJson(gate) !== canonicalJson(gateOf(loaded))) changed.push(loaded.suite.name);
    return { ...loaded, suite: { ...loaded.suite, ...gate } };
  });
  return { suites: gated, changed };
}

function gateOf({ suite: { gate, alert_on_regression, alert_threshold_percent } }: LoadedSuite): Gate {
  return { gate, alert_on_regression, alert_threshold_percent };
}

/** The suites with the minimum of the input in place of that of each gate. */
export function withMinimum(suites: readonly LoadedSuite[], minPassRate: number | null): LoadedSuite[] {
  if (minPassRate === null) return [...suites];
  return suites.map((loaded) => ({
    ...loaded,
    suite: { ...loaded.suite, gate: { ...loaded.suite.gate, min_pass_rate: minPassRate } },
  }));
}

/** Whether any suite calls a model: such suites cannot run in a job without secrets. */
export function needsModels({ suites }: LoadedDefinitions): boolean {
  return suites.some(({ agent, suite }) => {
    const { judge, simulator, embedding, evaluations } = suite;
    const measured = [judge, simulator, embedding, evaluations].some((one) => one !== null);
    return agent.driver.type === 'openai' || measured;
  });
}
