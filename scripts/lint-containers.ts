// A step of `npm run check`: the container file, and both compose files together and alone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeProblems, containerFileProblems } from './container-rules.ts';

const deploy = join(import.meta.dirname, '../deploy');
const problems = [
  ...containerFileProblems('deploy/Containerfile', readFileSync(join(deploy, 'Containerfile'), 'utf8')),
  ...['compose.yaml', 'compose.dev.yaml'].flatMap((name) => composeProblems(join(deploy, name))),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
