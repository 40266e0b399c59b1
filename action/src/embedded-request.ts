import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
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
