import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import { linesOf } from '@proofmark/contracts/lines-of';
import { VerdictSettings } from '@proofmark/contracts/verdict';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import { recordedSteps } from '@proofmark/runner-agent/geval-evaluator';
import { z } from 'zod';
import type { ResultLine } from '../run/result-line.ts';
import { furtherFolders } from '../run/run-folder.ts';
import { lineReader } from '../run/shared-parts.ts';
import { measuredOf } from '../run/test-run-row.ts';
import { readRunFile } from './read-run-file.ts';
import { keepAnswer, type StoredSuiteRun } from './stored-suite-run.ts';

const resultsName = 'results.jsonl';

/** The results files of a run's folder, or the one that is named or lies in the folder of a suite run. */
export async function findResults(path: string, isFolder: boolean): Promise<string[]> {
  if (!isFolder) return basename(path) === resultsName ? [path] : [];
  const entries = await readdir(path, { recursive: true });
  return (
    entries
      // What settled a suspicion or judged others again is not what the run itself came to.
      .filter((entry) => basename(entry) === resultsName && !furtherFolders.includes(entry.split(sep)[0] ?? ''))
      .toSorted()
      .map((entry) => join(path, entry))
  );
}

/** Suite runs from results files, the sides that were judged; baselines that ran beside them are left out. */
export async function readResultFiles(paths: readonly string[]): Promise<StoredSuiteRun[]> {
  const found: StoredSuiteRun[] = [];
  for (const path of paths) {
    const suiteRun = await readResultFile(path);
    if (suiteRun !== null) found.push(suiteRun);
  }
  return found;
}

async function readResultFile(path: string): Promise<StoredSuiteRun | null> {
  const read = lineReader();
  let suiteRun: StoredSuiteRun | null = null;
  // A line at a time: a results file may be larger than memory.
  for await (const text of linesOf(createReadStream(path, 'utf8'))) {
    if (text === '') continue;
    const line = read(text);
    if (line.kind !== 'result') continue;
    if (line.result.variant === 'baseline') return null;
    suiteRun ??= await openSuiteRun(path, line.result);
    add(suiteRun, line.result);
  }
  return suiteRun;
}

async function openSuiteRun(path: string, { suite, cell, variant }: ResultLine): Promise<StoredSuiteRun> {
  const { verdict } = await readRunFile(join(dirname(dirname(path)), 'run.json'), { suite, cell, variant });
  const { settings = null, judge = null } = JudgedBy.safeParse(verdict).data ?? {};
  const nothing = { trials: [], answers: new Map(), heard: new Map() };
  return { suiteName: suite, cellKey: cell, ...nothing, settings, judge, resultsPath: path };
}

function add(suiteRun: StoredSuiteRun, line: ResultLine): void {
  const { case_name: caseName, repetition, outcome } = line;
  suiteRun.trials.push({
    caseName,
    comparabilityKey: comparabilityKey(line.case_hash, line.instrument_hash, line.setting_key),
    status: outcome.status,
    errorKind: outcome.errorKind,
    repetition,
    ...measuredOf(outcome),
  });
  const written = line.work === null ? [] : recordedSteps(line.work, outcome);
  for (const entry of [...(outcome.mocks?.recorded ?? []), ...written]) suiteRun.heard.set(entry.key, entry);
  const tools = outcome.toolCalls.map(({ name }) => name);
  keepAnswer(suiteRun, caseName, { repetition, passed: outcome.status === 'passed', answer: outcome.response, tools });
}

/** The gate of a stored run; a verdict of an older version may lack what newer ones have. */
const JudgedBy = z.looseObject({ settings: VerdictSettings, judge: z.object(MeasuredJudge.shape).nullish() });
