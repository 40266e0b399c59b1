import { createHash } from 'node:crypto';
import type { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import type { CommittedFiles, FeedbackPort } from '../feedback/feedback-port.ts';
import type { FoundRepository } from './find-repository.ts';

interface Ports {
  forge: Partial<Pick<FeedbackPort, 'committed'>> | null;
  hasReadCommit?: true;
}

interface Question {
  repository: FoundRepository | null;
  trigger: Trigger;
  files: StartRunInput['files'];
}

/** Of so many differing files the names are kept: one is enough to doubt the rest. */
const mostNames = 20;

/**
 * The definitions that were sent and are not what stands at the commit that the run is about; empty when the App could not
 * read that commit. Null: they are equal, or there is no App that could look.
 */
export async function verifyContent(
  { forge, hasReadCommit }: Ports,
  { repository, trigger, files }: Question,
): Promise<string[] | null> {
  const { headSha } = trigger;
  if (hasReadCommit === true || headSha === null) return null;
  if (forge?.committed === undefined || repository?.isReporting !== true) return null;
  const { committed } = forge;
  // The forge being down must not stop a run.
  const read = () => committed(repository, headSha).catch(() => null);
  // Once more: a base run that nobody believes costs the next pull requests their comparison.
  const atCommit = (await read()) ?? (await read());
  if (atCommit === null) return [];
  const differing = files.filter((file) => !isSame(file, atCommit)).map(({ path }) => path);
  return differing.length === 0 ? null : differing.slice(0, mostNames);
}

function isSame({ path, text }: StartRunInput['files'][number], { blobSha }: CommittedFiles): boolean {
  const wanted = blobSha(path);
  // A checkout on Windows has other line ends than the commit.
  return wanted !== null && [text, text.replaceAll('\r\n', '\n')].some((one) => gitBlobSha(one, wanted) === wanted);
}

/** The id that git gives a file with this content, in the kind of hash that the repository has. */
function gitBlobSha(text: string, like: string): string {
  const content = Buffer.from(text, 'utf8');
  return createHash(like.length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex');
}
