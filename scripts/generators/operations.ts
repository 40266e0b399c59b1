import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coordinatorVariables as coordinator } from '../../coordinator/src/environment.ts';
import { runnerVariables as runner } from '../../runner-agent/src/environment.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { environmentTable } from './environment-table.ts';

const path = 'docs/operations.md';

/** docs/operations.md with the tables of environment variables as the services read them. */
export function operationsPage(root: string): GeneratedFile[] {
  const text = readFileSync(join(root, path), 'utf8');
  const withCoordinator = betweenMarks(text, 'coordinator', environmentTable(coordinator));
  return [{ path, content: betweenMarks(withCoordinator, 'runner', environmentTable(runner)) }];
}
