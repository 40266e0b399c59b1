import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { environmentVariables as coordinator } from '../../coordinator/src/environment.ts';
import { environmentVariables as runner } from '../../runner-agent/src/environment.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';

const path = 'docs/operations.md';

/** docs/operations.md with the tables of environment variables as the services read them. */
export function operationsPage(root: string): GeneratedFile[] {
  const text = readFileSync(join(root, path), 'utf8');
  const withCoordinator = betweenMarks(text, 'coordinator', tableOf(coordinator));
  return [{ path, content: betweenMarks(withCoordinator, 'runner', tableOf(runner)) }];
}

function tableOf(variables: z.ZodObject): string {
  const rows = Object.entries(variables.shape).map(([name, shape]) => {
    const description = z.globalRegistry.get(shape)?.description ?? shape.description ?? '';
    // A default that depends on the machine is told in words.
    const byDefault = description.includes('Absent:') ? '' : defaultOf(shape);
    return `| \`${name}\` | ${byDefault} | ${description.replaceAll('|', '\\|')} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** What an absent variable means: its default, nothing for an optional one, `required` otherwise. */
function defaultOf(shape: z.core.$ZodType): string {
  const absent = z.safeParse(shape, undefined);
  if (!absent.success) return '**required**';
  if (absent.data === undefined || absent.data === '') return '';
  if (typeof absent.data === 'object') return '';
  return `\`${typeof absent.data === 'string' ? absent.data : JSON.stringify(absent.data)}\``;
}
