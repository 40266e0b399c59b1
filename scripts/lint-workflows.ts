// A step of `npm run check`: every workflow and form of `.github`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { workflowProblems } from './workflow-rules.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const workflows = globSync('.github/workflows/*.yml', { cwd: root });
if (workflows.length === 0) throw new Error('There are no workflows in .github/workflows');
const problems = await Promise.all(workflows.map((path) => workflowProblems(path, read(path))));
// Nothing lints these here; what is no YAML is told at least.
for (const path of globSync('.github/{dependabot.yml,ISSUE_TEMPLATE/*.yml}', { cwd: root })) parse(read(path));
for (const problem of problems.flat()) process.stdout.write(`${problem}\n`);
process.exitCode = problems.flat().length === 0 ? 0 : 1;
