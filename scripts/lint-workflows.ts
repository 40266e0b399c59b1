// A step of `npm run check`: every workflow and form of `.github`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formProblems, workflowProblems } from './workflow-rules.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: root });
if (workflows.length === 0) throw new Error('There are no workflows in .github/workflows');
const problems = await Promise.all(workflows.map((path) => workflowProblems(path, read(path))));
const forms = globSync('.github/{*.yml,ISSUE_TEMPLATE/*}', { cwd: root });
const all = [...problems, ...forms.map((path) => formProblems(path, read(path)))].flat();
for (const problem of all) process.stdout.write(`${problem}\n`);
process.exitCode = all.length === 0 ? 0 : 1;
