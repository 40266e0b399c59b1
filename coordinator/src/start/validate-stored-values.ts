import { isError, type Problem } from '@proofmark/contracts/problem';
import { validateVariables } from '@proofmark/domain/validate-variables';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { parseFiles } from '../definitions/parse-files.ts';
import { toRequest } from './decide-run.ts';
import { readTarget, type StoredValuesInput, selectionOf } from './start-stored-run.ts';

export interface ValueVerdict {
  /** Whether every selected test could run with these values. */
  valid: boolean;
  problems: Problem[];
}

/** What a run with these values would complain about, without starting it (S4-84); null when there is nothing of this id. */
export async function validateStoredValues(
  database: Database,
  caller: Caller,
  { suiteId, testCaseId, ...asked }: StoredValuesInput,
): Promise<ValueVerdict | null> {
  const target = await inTenant(database, caller.tenantId, (em) =>
    readTarget(em, caller, { suiteId, testCaseId, preset: asked.preset }),
  );
  if (target === null) return null;
  const { definitions, problems } = parseFiles(target.files);
  if (problems.some(isError)) return { valid: false, problems };
  const selection = selectionOf(target, asked.selection);
  const found = validateVariables(definitions, toRequest({ ...asked, selection, repetitions: null }));
  return { valid: !found.some(isError), problems: found };
}
