import { createHash } from 'node:crypto';
import type { ABSession } from '@proofmark/contracts/ab-session';
import { readCaseFile } from '../case-files.ts';
import type { PairSide } from './session-plan.ts';
import type { SessionPlan } from './session-store.ts';

/**
 * The local files of questions that are still to be asked and no longer hold what they held when the session was started,
 * each once: half of a session asked with another document compares nothing.
 */
export async function changedFiles({ pairs }: SessionPlan, { results }: ABSession, root: string): Promise<string[]> {
  const answered = new Set(results.map(({ metadata }) => metadata.pair));
  const open = pairs.filter(({ key }) => !answered.has(key));
  const wanted = new Map(
    open.flatMap(({ baseline, candidate }) => [...contentsOf(baseline), ...contentsOf(candidate)]),
  );
  const changed: string[] = [];
  for (const [path, sha256] of wanted) {
    const content = await readCaseFile(path, root);
    if (content === null) changed.push(`${path} cannot be read in ${root}`);
    else if (createHash('sha256').update(content).digest('hex') !== sha256)
      changed.push(`${path} holds something else`);
  }
  return changed;
}

const contentsOf = (side: PairSide): [path: string, sha256: string][] =>
  'error' in side ? [] : (side.work.contents ?? []).map(({ path, sha256 }) => [path, sha256]);
