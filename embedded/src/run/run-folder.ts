import { join } from 'node:path';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { writeWhole } from '../write-whole.ts';

/** The folder of one run: each result is on disk before the next step, so that nothing piles up in memory or gets lost. */
export interface RunFolder {
  readonly path: string;
  /** Writes a file of the run, a path from its folder, and returns where it is. Never leaves half a file. */
  write: (name: string, content: string) => Promise<string>;
  /** Where the results of a suite run stand, a line per test run in the order in which they ended. */
  resultsPath: (planned: PlannedSuiteRun, position: number) => string;
  reportPath: (planned: PlannedSuiteRun, position: number) => string;
}

export function runFolder(resultsDirectory: string, runId: string): RunFolder {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(runId)) throw new Error(`${runId} cannot name a folder`);
  const path = join(resultsDirectory, runId);
  return {
    path,
    write: (name, content) => writeWhole(join(path, name), content),
    resultsPath: (planned, position) => join(path, suiteRunFolder(planned, position), 'results.jsonl'),
    reportPath: (planned, position) => join(path, suiteRunFolder(planned, position), 'report.json'),
  };
}

/** `01-support-agent-temperature-0-baseline`: readable, and never two of a run the same. */
function suiteRunFolder({ suiteName, cellKey, variant }: PlannedSuiteRun, position: number): string {
  const words = [suiteName, cellKey, variant === 'head' ? '' : variant].map(slug).filter((word) => word !== '');
  return [String(position + 1).padStart(2, '0'), ...words].join('-');
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
