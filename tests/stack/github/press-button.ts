import type { GithubServer } from '../github-server.ts';
import { asUser } from './as-user.ts';
import { maintainer, stranger } from './emulator.ts';
import { Repository, User } from './shapes.ts';

type Press = {
  repository: string;
  checkRunId: number;
  /** The identifier of one of the buttons that the App put on the check. */
  identifier: string;
  by?: 'maintainer' | 'stranger';
};

/** Presses "Re-run" on a check: the App gets `check_run.rerequested`. */
export async function rerequestCheckRun(github: GithubServer, repository: string, checkRunId: number): Promise<void> {
  await asUser(github, { method: 'POST', path: `/repos/${repository}/check-runs/${checkRunId}/rerequest` });
}

/** Presses a button of the App on a check: the App gets `check_run.requested_action`. Throws when there is no such button. */
export async function pressButton(
  github: GithubServer,
  { repository, checkRunId, identifier, by = 'maintainer' }: Press,
): Promise<void> {
  const buttons = github.world.checkRuns.find(({ id }) => id === checkRunId)?.actions ?? [];
  if (!buttons.some((button) => button.identifier === identifier)) {
    throw new Error(
      `check run ${checkRunId} has no button "${identifier}", only: ${buttons.map((button) => button.identifier).join(', ')}`,
    );
  }
  const { login } = by === 'maintainer' ? maintainer : stranger;
  await github.webhooks.send('check_run', {
    action: 'requested_action',
    requested_action: { identifier },
    check_run: await asUser(github, { path: `/repos/${repository}/check-runs/${checkRunId}` }),
    repository: Repository.parse(await asUser(github, { path: `/repos/${repository}` })),
    sender: User.parse(await asUser(github, { path: `/users/${login}` })),
  });
}
