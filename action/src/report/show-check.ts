import { checkWrites } from '@proofmark/domain/check-update';
import { isGreen, type WantedCheck } from '@proofmark/domain/wanted-checks';
import { changeCheck, createCheck, listChecks, type ShownCheck } from '@proofmark/process/github';
import type { Forge } from '../forge/open-forge.ts';

/** The commit that checks are about, and the page that they lead to. */
export interface CheckTarget {
  headSha: string;
  detailsUrl: string;
}

/**
 * Brings one check run to the state that is wanted: reads first, creates it once, sends only what differs. A job writes
 * alone and once; what the database owes is delivered by any replica, so that needs locks and a second look as well.
 */
export async function showCheck(
  forge: Forge,
  { headSha, detailsUrl }: CheckTarget,
  wanted: WantedCheck,
  lookAgain: () => Promise<boolean>,
): Promise<void> {
  const { name, externalId, onlyAfterRed, output } = wanted;
  const find = () => findCheck(forge, headSha, wanted);
  const first = await find();
  if (first.found === null && onlyAfterRed && (first.last === null || isGreen(first.last.conclusion))) return;
  const { found } = first.found === null && (await lookAgain()) ? await find() : first;
  const shown = found ?? (await create());
  for (const change of checkWrites(shown, output)) {
    await changeCheck(forge.write, shown.id, { details_url: detailsUrl, ...change });
  }

  function create(): Promise<ShownCheck> {
    const { title, summary } = output;
    const fields = { name, head_sha: headSha, external_id: externalId, details_url: detailsUrl, status: 'in_progress' };
    return createCheck(forge.write, { ...fields, output: { title, summary } });
  }
}

/** By name and id, whoever made it: a job does not know which App its token belongs to; and the newest of the name. */
async function findCheck(
  forge: Forge,
  headSha: string,
  { name, externalId }: WantedCheck,
): Promise<{ found: ShownCheck | null; last: ShownCheck | null }> {
  const all = await listChecks(forge.read, { headSha, name });
  return { found: all.find((one) => one.externalId === externalId) ?? null, last: all[0] ?? null };
}
