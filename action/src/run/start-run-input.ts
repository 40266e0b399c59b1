import type { FileContent } from '@proofmark/contracts/file-content';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import type { StartRequest } from '@proofmark/contracts/start-run-input';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';
import type { JobEnvironment } from '../job/environment.ts';
import type { Inputs } from '../job/inputs.ts';
import type { JobTrigger } from '../job/read-event.ts';

/** The same job on the same commit is the same run; a re-run has another attempt, and is another one. */
function idempotencyKey(environment: JobEnvironment, trigger: JobTrigger, checkName: string): string {
  const { host, repositoryId, runId, runAttempt } = environment;
  return `gha:${host}:${repositoryId ?? environment.repository}:${runId}:${runAttempt}:${trigger.headSha}:${checkName}`;
}

interface RunParts {
  environment: JobEnvironment;
  inputs: Inputs;
  trigger: JobTrigger;
  collected: CollectedDefinitions;
  /** What is in the files of the checkout that cases name. */
  caseFiles: FileContent[];
  /** Suites that the change cannot affect. */
  unaffected: readonly LoadedSuite[];
}

const upperCase = <Word extends string>(word: Word) => word.toUpperCase() as Uppercase<Word>; // what toUpperCase does, which its type does not say

const baselineModes: Partial<Record<string, 'AUTO' | 'RUN' | 'NONE'>> = { auto: 'AUTO', run: 'RUN', none: 'NONE' };

/** Everything that a coordinator needs of this job to run its suites. */
export function startRunInput(parts: RunParts): StartRequest {
  const { environment, inputs, trigger, collected, caseFiles, unaffected } = parts;
  return {
    idempotencyKey: idempotencyKey(environment, trigger, inputs['check-name']),
    trigger: {
      triggeredBy: trigger.event === 'schedule' ? 'SCHEDULE' : 'CI',
      event: trigger.event,
      host: environment.host,
      repositoryExternalId: environment.repositoryId,
      repositoryFullName: environment.repository,
      ref: trigger.ref,
      headSha: trigger.headSha,
      baseSha: trigger.baseSha,
      pullRequest: trigger.pullRequest,
      author: trigger.author,
      title: trigger.title,
      workflowRunId: environment.runId,
      workflowRunAttempt: environment.runAttempt,
      ...(trigger.withoutSecrets === 'Fork' ? { isFork: true } : {}),
    },
    files: collected.files,
    suitePaths: collected.suitePaths,
    projectPath: collected.projectPath ?? null,
    caseFiles,
    selection: {
      cases: inputs.cases,
      tags: inputs.tags,
      difficulty: inputs.difficulty,
      suites: [],
      unaffected: unaffected.map(({ suite }) => suite.name),
    },
    assignments: inputs.variables,
    preset: inputs.preset,
    matrix: inputs.matrix,
    repetitions: inputs.repetitions,
    settings: {
      onError: upperCase(inputs['on-error']),
      comment: upperCase(inputs.comment),
      commentKey: inputs['comment-key'],
      checkName: inputs['check-name'],
      minPassRate: inputs['min-pass-rate'],
      baseline: baselineModes[inputs.baseline] ?? 'AUTO',
      reuse: inputs.reuse,
      budgetUsd: inputs['budget-usd'],
    },
  };
}
