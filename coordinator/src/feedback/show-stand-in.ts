import { listChecks, type Writing } from './deliver-check.ts';
import { type StandIn, standInId } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';

/** Opens the check, or ends it where nothing came. A check that a run has already is left alone. */
export async function showStandIn(client: RepositoryClient, standIn: StandIn, writing: Writing): Promise<void> {
  const { owner, repo } = client;
  const { headSha, name, conclusion, title } = standIn;
  const shown = {
    output: { title, summary: title },
    ...(conclusion === null ? { status: 'in_progress' as const } : { status: 'completed' as const, conclusion }),
  };
  await writing.alone(`check:${owner}/${repo}:${headSha}`, () =>
    writing.write(async () => {
      const all = await listChecks(client, standIn, writing.appId);
      const open = all.find((one) => one.external_id === standInId(standIn) && one.status !== 'completed');
      if (open !== undefined && conclusion !== null) {
        const route = 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}';
        await client.request(route, { owner, repo, check_run_id: open.id, ...shown });
      }
      if (all.length > 0) return;
      const check = { name, head_sha: headSha, external_id: standInId(standIn) };
      await client.request('POST /repos/{owner}/{repo}/check-runs', { owner, repo, ...check, ...shown });
    }),
  );
}
