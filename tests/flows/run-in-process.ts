import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { TestReport } from '@proofmark/contracts/test-report';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { runEmbedded } from '@proofmark/embedded/run-embedded';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Suite } from './running-product.ts';

const Line = z.looseObject({ case_name: z.string(), sort_order: z.int(), outcome: CaseOutcome });

export interface EndedCase {
  caseName: string;
  outcome: CaseOutcome;
}

/** Runs the one suite of these files in this process, with `environment` for its keys: its outcomes in the order of the suite. */
export async function runInProcess(suite: Suite, environment: Record<string, string>): Promise<EndedCase[]> {
  return (await reportInProcess(suite, environment)).ended;
}

/** The same with the report of the suite. */
export async function reportInProcess(
  { files }: Suite,
  environment: Record<string, string>,
): Promise<{ ended: EndedCase[]; report: TestReport }> {
  const root = await mkdtemp(join(tmpdir(), 'proofmark-in-process-'));
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const keys = readModelKeys(environment);
    if (!keys.ok) throw new Error(keys.problems.join('\n'));
    const { definitions, problems } = collectDefinitions({ root });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const run = await runEmbedded({
      ...{ runId: 'run', definitions, runSeed: 'seed', resultsDirectory: join(root, 'results'), keys: keys.keys, root },
      ...{ version: '0.1.0', environment: {}, signal: new AbortController().signal },
      request: {
        ...{ variables: {}, assignments: [], preset: null, matrix: {}, matrixAssignments: [], cases: [], tags: [] },
        ...{ difficulty: null, repetitions: null, compared: false, variants: ['head'] },
      },
    });
    if (!run.ok) throw new Error(JSON.stringify(run.problems));
    const [suiteRun] = run.suiteRuns;
    if (suiteRun?.report.ok !== true) throw new Error('The run has no report');
    const text = await readFile(join(dirname(suiteRun.report.path), 'results.jsonl'), 'utf8');
    const ended = text
      .trim()
      .split('\n')
      .flatMap((line) => Line.safeParse(JSON.parse(line)).data ?? [])
      .sort((a, b) => a.sort_order - b.sort_order)
      .map(({ case_name: caseName, outcome }) => ({ caseName, outcome }));
    return { ended, report: TestReport.parse(JSON.parse(await readFile(suiteRun.report.path, 'utf8'))) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
