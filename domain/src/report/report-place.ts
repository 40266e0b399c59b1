import type { TestReport } from '@proofmark/contracts/test-report';

/** Where the results of a report belong: the suite, the cell of the matrix ('' without one) and the side. */
export interface ReportPlace {
  suite: string;
  cell: string;
  /** `head`, or one side of a comparison. */
  variant: string;
}

/** The place as entries of `environment`, the only part of a report that seed 000 leaves open. */
export function placeEnvironment({ suite, cell, variant }: ReportPlace): Record<string, string> {
  return { suite, ...(cell === '' ? {} : { cell }), ...(variant === 'head' ? {} : { variant }) };
}

/** The place of a report; of one that another tool wrote, the agent stands for the suite. */
export function placeOf({ agent_name, environment }: Pick<TestReport, 'agent_name' | 'environment'>): ReportPlace {
  const { suite = agent_name, cell = '', variant = 'head' } = environment;
  return { suite, cell, variant };
}

/** `Support desk [Temperature=0] (baseline)`: what tells the reports of one run apart. */
export function placeName(report: Pick<TestReport, 'agent_name' | 'environment'>): string {
  const { suite, cell, variant } = placeOf(report);
  return `${suite}${cell === '' ? '' : ` [${cell}]`}${variant === 'head' ? '' : ` (${variant})`}`;
}
