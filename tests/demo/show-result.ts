import { annotations, type CheckRun, checkRuns, comments } from '../stack/github/read-back.ts';
import { waitUntil } from '../stack/wait-until.ts';
import type { JudgedPullRequest, Story } from './pull-request-story.ts';
import { brokenCases } from './shop.ts';

/** `keep`: everything goes on running, so that nobody needs to be told how to have that. */
type Shown = Story & JudgedPullRequest & { readonly keep: boolean };

/** Reads from GitHub what appeared there, shows it, and says whether it is the failure that was to be expected. */
export async function showResult(story: Shown): Promise<boolean> {
  const { github, narrator, repository, pullRequest, headSha } = story;
  const checks = await narrator.step('GitHub shows the finished checks and the comment', () => finishedChecks(story));
  narrator.title('What GitHub shows now: the checks');
  for (const check of checks) {
    narrator.say(`  ${mark(check)} ${check.name}: ${check.conclusion}`);
    narrator.say(`      ${check.output.title}`);
    for (const one of await annotations(github, repository, check.id)) {
      narrator.say(`      ${one.path}:${one.start_line} ${one.annotation_level}: ${one.title} (${one.message})`);
    }
  }
  const [comment] = await comments(github, repository, pullRequest);
  narrator.title(`What GitHub shows now: the comment by ${comment?.user.login ?? 'nobody'}`);
  narrator.indent(comment?.body ?? '(there is none)');
  tellQuery(story);
  const isRed = checks.length === 2 && checks.every((check) => check.conclusion === 'failure');
  const named = brokenCases.every((name) => comment?.body.includes(`<code>${name}</code>`));
  narrator.say(
    `\n  head ${headSha.slice(0, 7)}: checks red: ${yes(isRed)}; comment names the broken cases: ${yes(named)}`,
  );
  return isRed && named;
}

async function finishedChecks({
  github,
  repository,
  headSha,
  pullRequest,
}: Story & JudgedPullRequest): Promise<CheckRun[]> {
  return await waitUntil(
    async () => {
      const checks = await checkRuns(github, repository, headSha);
      const written = await comments(github, repository, pullRequest);
      const isFinished = checks.length === 2 && checks.every((check) => check.status === 'completed');
      return isFinished && written.length > 0 ? checks : undefined;
    },
    { what: 'the checks are completed and the comment is there' },
  );
}

function tellQuery({ narrator, product, runId, keep }: Shown): void {
  narrator.title('Where to look further: the run, by GraphQL');
  const query = `{ run(id: "${runId}") { status conclusion suiteRuns { suiteName verdict { word title } } } }`;
  narrator.say(`  curl -s ${product.url}/graphql -H 'content-type: application/json' \\`);
  narrator.say(`    -H 'authorization: Bearer ${product.token}' \\`);
  narrator.say(`    -d '${JSON.stringify({ query })}'`);
  if (!keep) narrator.say('  (npm run demo -- --keep leaves everything running to try it)');
}

function mark({ conclusion }: CheckRun): string {
  if (conclusion === 'success') return '✓';
  return conclusion === 'failure' ? '✗' : '○';
}

function yes(value: boolean): string {
  return value ? 'yes' : 'NO';
}
