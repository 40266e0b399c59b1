import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseWork } from '@proofmark/contracts/case-work';
import { TestCase } from '@proofmark/contracts/test-case';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { z } from 'zod';
import { writeWhole } from '../write-whole.ts';

/** One test run on disk: what it was given, so that it can be repeated, and what came of it. */
const TestRunFile = z.strictObject({
  run_id: z.string(),
  suite: z.string(),
  suite_path: z.string(),
  cell: z.string(),
  variant: z.string(),
  case_name: z.string(),
  sort_order: z.int(),
  repetition: z.int(),
  case_hash: z.string(),
  instrument_hash: z.string(),
  agent_hash: z.string(),
  case: TestCase,
  /** Null: decided without being run. */
  work: CaseWork.nullable(),
  outcome: CaseOutcome,
});
type TestRunFile = z.infer<typeof TestRunFile>;

/** The folder of one run: each result is on disk before the next step, so that nothing piles up in memory or gets lost. */
export interface RunFolder {
  readonly path: string;
  /** Writes a file of the run, a path from its folder, and returns where it is. Never leaves half a file. */
  write: (name: string, content: string) => Promise<string>;
  saveTestRun: (suiteRunFolder: string, file: TestRunFile) => Promise<void>;
  readTestRun: (suiteRunFolder: string, testRun: PlannedTestRun) => Promise<TestRunFile>;
}

export function runFolder(resultsDirectory: string, runId: string): RunFolder {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(runId)) throw new Error(`${runId} cannot name a folder`);
  const path = join(resultsDirectory, runId);
  const write = (name: string, content: string): Promise<string> => writeWhole(join(path, name), content);
  return {
    path,
    write,
    saveTestRun: async (folder, file) => {
      await write(join(folder, fileName(file.sort_order, file.repetition)), `${JSON.stringify(file, null, 2)}\n`);
    },
    readTestRun: async (folder, { sortOrder, repetition }) => {
      const text = await readFile(join(path, folder, fileName(sortOrder, repetition)), 'utf8');
      return TestRunFile.parse(JSON.parse(text));
    },
  };
}

const fileName = (sortOrder: number, repetition: number): string =>
  `case-${String(sortOrder + 1).padStart(4, '0')}-${repetition}.json`;

/** `01-support-agent-temperature-0-baseline`: readable, and never two of a run the same. */
export function suiteRunFolder({ suiteName, cellKey, variant }: PlannedSuiteRun, position: number): string {
  const words = [suiteName, cellKey, variant === 'head' ? '' : variant].map(slug).filter((word) => word !== '');
  return [String(position + 1).padStart(2, '0'), ...words].join('-');
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
