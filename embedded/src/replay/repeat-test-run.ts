import { createHash } from 'node:crypto';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { neededModels } from '@proofmark/domain/needed-models';
import { recordedSteps } from '@proofmark/runner-agent/geval-evaluator';
import { chooseEndpoint } from '@proofmark/runner-agent/key-ring';
import { CaseAborted, runCase } from '@proofmark/runner-agent/run-case';
import { openOwnPorts } from '../case-ports.ts';
import { readCaseFile } from '../definitions/case-files.ts';
import type { ModelKeys } from '../environment.ts';

interface Here {
  keys: ModelKeys;
  /** The repository, from which files of cases are read. */
  root: string;
}

/**
 * Why this work cannot be repeated here as it was: keys of models that are sure to be asked and are not set, files that
 * are gone or have changed. A recorded conversation needs no files.
 */
export async function findObstacles(work: CaseWork, outcome: CaseOutcome, { keys, root }: Here): Promise<string[]> {
  const heard = outcome.mocks?.recorded ?? [];
  const missingKeys = neededModels({ work, outcome, heard }).flatMap((model) => keyProblem(model, keys));
  const problems = work.recorded === undefined ? await fileProblems(work, root) : [];
  return [...new Set([...missingKeys, ...problems])];
}

function keyProblem(settings: ModelSettings, keys: ModelKeys): string[] {
  const endpoint = chooseEndpoint(settings, keys);
  if (!endpoint.ok) return [`${settings.configuration}: ${endpoint.message}`];
  // Servers of one's own often need no key; that of OpenAI always does.
  const needsKey = new URL(endpoint.baseUrl).hostname === 'api.openai.com';
  return endpoint.key === null && needsKey ? [`${settings.configuration}: OPENAI_API_KEY is not set`] : [];
}

async function fileProblems({ case: { files }, contents = [] }: CaseWork, root: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { path } of files) {
    if (path === undefined) continue;
    const content = await readCaseFile(path, root);
    const wanted = contents.find((one) => one.path === path)?.sha256;
    if (content === null) problems.push(`${path} cannot be read in ${root}`);
    else if (wanted !== undefined && createHash('sha256').update(content).digest('hex') !== wanted) {
      problems.push(`${path} has changed since: it had the SHA-256 ${wanted}`);
    }
  }
  return problems;
}

interface Repeat {
  work: CaseWork;
  /** What came of it: what simulated tools answered then they say again, and steps that were written are followed again. */
  outcome: CaseOutcome;
  keys: ModelKeys;
  root: string;
  signal: AbortSignal;
}

/** Runs stored work once more in this process, with nothing looked up anew; null when it was interrupted. Nothing is stored. */
export async function repeatHere({ work, outcome, keys, root, signal }: Repeat): Promise<CaseOutcome | null> {
  const { cassette = [], ...instrument } = work.instrument;
  const all = [...cassette, ...(outcome.mocks?.recorded ?? []), ...recordedSteps(work, outcome)];
  const known = all.length === 0 ? work : { ...work, instrument: { ...instrument, cassette: all } };
  await using open = openOwnPorts({ keys, root });
  try {
    return await runCase(known, open.ports, signal);
  } catch (error) {
    if (error instanceof CaseAborted) return null;
    throw error;
  }
}
