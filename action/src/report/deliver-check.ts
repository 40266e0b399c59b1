import { isGreen } from '@proofmark/domain/check-presence';
import { checkWrites, type FoundCheck } from '@proofmark/domain/check-update';
import { listPages } from '@proofmark/domain/list-pages';
import type { WantedCheck } from '@proofmark/domain/wanted-checks';
import { z } from 'zod';
import type { Forge } from '../forge/open-forge.ts';

const CheckRun = z.looseObject({
  id: z.int(),
  external_id: z.string().nullish(),
  status: z.string(),
  conclusion: z.string().nullable(),
  output: z.looseObject({
    title: z.string().nullable(),
    summary: z.string().nullable(),
    text: z.string().nullish(),
    annotations_count: z.int(),
  }),
});
type CheckRun = z.infer<typeof CheckRun>;

/** The commit that checks are about, and the page that they lead to. */
export interface CheckTarget {
  headSha: string;
  detailsUrl: string;
}

/** Brings one check run to the state that is wanted: reads first, creates it once, sends only what differs. */
export async function deliverCheck(
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
  const shown = found ?? (await createCheck());
  for (const change of checkWrites(toFound(shown), output)) {
    const fields = { check_run_id: shown.id, details_url: detailsUrl, ...change };
    await forge.write('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', fields);
  }

  async function createCheck(): Promise<CheckRun> {
    const { title, summary } = output;
    const fields = { name, head_sha: headSha, external_id: externalId, details_url: detailsUrl, status: 'in_progress' };
    const route = 'POST /repos/{owner}/{repo}/check-runs';
    return CheckRun.parse(await forge.write(route, { ...fields, output: { title, summary } }));
  }
}

interface Found {
  found: CheckRun | null;
  /** The newest of the same name on the commit. */
  last: CheckRun | null;
}

/** By name and id, whoever made it: a job does not know which App its token belongs to. */
async function findCheck(forge: Forge, headSha: string, { name, externalId }: WantedCheck): Promise<Found> {
  const all = await listPages(async (page, perPage) => {
    const answer = await forge.read('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
      ref: headSha,
      check_name: name,
      filter: 'all',
      per_page: perPage,
      page,
    });
    return z.looseObject({ check_runs: z.array(CheckRun) }).parse(answer).check_runs;
  });
  const found = all.find((one) => one.external_id === externalId) ?? null;
  return { found, last: all.toSorted((a, b) => b.id - a.id)[0] ?? null };
}

function toFound({ status, conclusion, output }: CheckRun): FoundCheck {
  return {
    isCompleted: status === 'completed',
    conclusion,
    title: output.title,
    summary: output.summary,
    text: output.text ?? null,
    annotationsCount: output.annotations_count,
  };
}
