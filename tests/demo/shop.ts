import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repositoryRoot } from '../stack/processes.ts';

const example = join(repositoryRoot, 'examples/support');
const agentPath = 'agents/support.agent.yaml';

/** Cases that the worsened prompt breaks, as the check and the comment have to name them. */
export const brokenCases = ['Opening hours', 'Refund time'];

/** The files of the example, as the shop keeps them in its repository. */
export async function shopFiles(): Promise<Record<string, string>> {
  const entries = await readdir(example, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[path.slice(example.length + 1)] = await readFile(path, 'utf8');
  }
  return files;
}

/** A well-meant edit of the prompt: friendlier, shorter, and without two facts that customers ask for. */
export async function worsenedPrompt(): Promise<Record<string, string>> {
  const agent = await readFile(join(example, agentPath), 'utf8');
  const edited = agent
    .replace('and only with what stands here.', 'warmly, and keep it short.\n  Do not promise refunds.')
    .replace('The shop is open Monday to Friday from 9 to 17.', 'The shop is open on weekdays.');
  return { [agentPath]: edited };
}

/** The lines that the edit removes and adds, for people. */
export async function promptChange(): Promise<string[]> {
  const before = (await readFile(join(example, agentPath), 'utf8')).split('\n');
  const after = (await worsenedPrompt())[agentPath]?.split('\n') ?? [];
  const removed = before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`);
  return [...removed, ...added];
}
