import { randomUUID } from 'node:crypto';
import type { StartRunInput } from '@proofmark/client/start-run';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { RunRequest } from '@proofmark/domain/plan-run';
import type { CollectedDefinitions } from '@proofmark/embedded/collect-definitions';

interface Parts {
  collected: CollectedDefinitions;
  request: RunRequest;
  caseFiles: FileContent[];
}

/** Everything that a coordinator needs to run what was typed. It belongs to no repository of the forge: nothing is reported there. */
export function runInput({ collected, request, caseFiles }: Parts): StartRunInput {
  const { cases, tags, difficulty, assignments, matrixAssignments, preset, repetitions } = request;
  return {
    idempotencyKey: `cli:${randomUUID()}`,
    trigger: { triggeredBy: 'MANUAL' },
    files: collected.files,
    suitePaths: collected.suitePaths,
    projectPath: collected.projectPath ?? null,
    caseFiles,
    selection: { cases, tags, difficulty, suites: [] },
    assignments,
    preset,
    matrix: matrixAssignments,
    repetitions,
  };
}
