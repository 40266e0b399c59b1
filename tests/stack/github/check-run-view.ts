import { type ActingApp, githubActions } from './callers.ts';
import type { CheckRunRow } from './check-run-row.ts';
import { organisation } from './emulator.ts';
import type { World } from './world.ts';

/** The check run as the API shows it. */
export function viewCheckRun(world: World, run: CheckRunRow) {
  const url = `${world.origin}${world.apiPrefix}/repos/${run.repository}/check-runs/${run.id}`;
  const html_url = `${world.origin}/${run.repository}/runs/${run.id}`;
  const { id, name, head_sha, external_id, status, conclusion, started_at, completed_at } = run;
  return {
    id,
    node_id: `CR_${id}`,
    name,
    head_sha,
    external_id,
    url,
    html_url,
    details_url: run.details_url ?? html_url,
    status,
    conclusion,
    started_at,
    completed_at,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    check_suite: { id: suiteId(world, run) },
    app: viewApp(world, run.app),
    pull_requests: world.pullHeads.openAt(run.repository, head_sha),
  };
}

/** The App of a token as the API shows it. */
export function viewApp(world: World, { id, slug, name }: ActingApp) {
  const owner = id === githubActions.id ? 'github' : organisation;
  return { id, slug, name, node_id: `A_${id}`, owner: { login: owner }, html_url: `${world.origin}/apps/${slug}` };
}

/** One check suite for each App and commit: its id is that of the first check run in it. */
function suiteId({ checkRuns }: World, { app, head_sha, repositoryId }: CheckRunRow): number | undefined {
  const inSuite = (run: CheckRunRow) =>
    run.app.id === app.id && run.head_sha === head_sha && run.repositoryId === repositoryId;
  return checkRuns.find(inSuite)?.id;
}
