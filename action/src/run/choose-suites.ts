import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { affectedSuites, type Change } from '@proofmark/domain/affected-suites';
import { compareCommits, listChangedFiles, readHead } from '@proofmark/process/github';
import type { Comparison } from '../base/choose-base.ts';
import { type Forge, failureOf, openForge } from '../forge/open-forge.ts';
import type { Inputs } from '../job/inputs.ts';
import { foreignLine, type Job } from '../job/job.ts';
import type { JobTrigger } from '../job/read-event.ts';

/** The suites of the checkout, told apart by whether the change can affect them. */
interface ChosenSuites {
  affected: LoadedSuite[];
  unaffected: LoadedSuite[];
}

interface Choice {
  inputs: Pick<Inputs, 'only-affected'>;
  trigger: JobTrigger;
  suites: readonly LoadedSuite[];
  comparison: Comparison | null;
}

/** Whether what is run depends on what changed. */
export const dependsOnChange = ({ 'only-affected': onlyAffected }: Choice['inputs'], { event }: JobTrigger): boolean =>
  onlyAffected && (event === 'pull_request' || event === 'merge_group');

/** How the head came from its base; null when there is no base, or nobody can be asked. */
export async function readComparison(
  { 'github-token': token }: Pick<Inputs, 'github-token'>,
  { baseSha, headSha, pullRequest }: JobTrigger,
  job: Job,
): Promise<Comparison | null> {
  const forge = baseSha === null ? null : await openForge(token, job);
  if (forge === null || baseSha === null) return null;
  const compared = await orTell(() => compareCommits(forge.read, baseSha, headSha), 'The base and the head', job);
  if (compared?.change.isComplete === true || pullRequest === null) return compared;
  const listed = await orTell(() => listChange(forge, pullRequest, headSha), 'The files of the pull request', job);
  const unknown: Change = { paths: [], isComplete: false };
  return { mergeBaseSha: compared?.mergeBaseSha ?? null, change: listed ?? unknown };
}

/** A pull request lists no more files than this. */
const listedFiles = 3_000;

/** All files of a pull request; not complete when there are too many, or when its head is another one by now. */
async function listChange({ read }: Forge, pullRequest: number, headSha: string): Promise<Change> {
  const { sha, changedFiles } = await readHead(read, pullRequest);
  if (sha !== headSha || changedFiles === null || changedFiles >= listedFiles) return { paths: [], isComplete: false };
  const { files, paths } = await listChangedFiles(read, pullRequest);
  return { paths, isComplete: files === changedFiles };
}

async function orTell<Answer>(read: () => Promise<Answer>, what: string, { write, now }: Job): Promise<Answer | null> {
  try {
    return await read();
  } catch (error) {
    write(`${what} cannot be read: ${foreignLine(failureOf(error, now()).reason)}`);
    return null;
  }
}

/** On proposals only what the change can affect; when the change is not known, and on other events, all suites. */
export function chooseSuites({ inputs, trigger, suites, comparison }: Choice, job: Job): ChosenSuites {
  if (!dependsOnChange(inputs, trigger)) return { affected: [...suites], unaffected: [] };
  const change = comparison?.change ?? { paths: [], isComplete: false };
  if (!change.isComplete) job.write('Every suite is run: GitHub does not tell all files that change.');
  const { workflowPath } = job.environment;
  const affected = affectedSuites(suites, {
    change,
    workflowPath,
  });
  const unaffected = suites.filter((one) => !affected.includes(one));
  for (const { suite } of unaffected) job.write(`Not affected by this change: ${foreignLine(suite.name)}`);
  return { affected, unaffected };
}
