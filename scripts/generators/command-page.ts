import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '../../cli/src/arguments/command.ts';
import { cliVariables } from '../../cli/src/arguments/environment.ts';
import { commands } from '../../cli/src/commands/run-command-line.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { environmentTable } from './environment-table.ts';

const path = 'docs/cli.md';

/** docs/cli.md with every command, every option and every variable as the command line reads them. */
export function commandPage(root: string): GeneratedFile[] {
  const text = readFileSync(join(root, path), 'utf8');
  const withCommands = betweenMarks(text, 'commands', commands.map(section).join('\n'));
  return [{ path, content: betweenMarks(withCommands, 'environment', environmentTable(cliVariables)) }];
}

function section({ name, summary, synopsis, optionHelp }: Command): string {
  const rows = optionHelp.map(([option, meaning]) => `| \`${cell(option)}\` | ${cell(meaning)} |`);
  return [
    `### ${name}\n`,
    `${summary}.\n`,
    '```text',
    `proofmark ${name} ${synopsis}`,
    '```\n',
    ...(rows.length === 0 ? [] : ['| option | meaning |', '|---|---|', ...rows, '']),
  ].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
