import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ListedCommand } from '../../cli/src/arguments/command.ts';
import { cliVariables } from '../../cli/src/arguments/environment.ts';
import { commands } from '../../cli/src/commands/run-command-line.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { environmentTable } from './environment-table.ts';

const path = 'docs/cli.md';

/** docs/cli.md with every command, every option and every variable as the command line reads them. */
export async function commandPage(root: string): Promise<GeneratedFile[]> {
  const text = readFileSync(join(root, path), 'utf8');
  const withCommands = betweenMarks(text, 'commands', (await Promise.all(commands.map(section))).join('\n'));
  return [{ path, content: betweenMarks(withCommands, 'environment', environmentTable(cliVariables)) }];
}

async function section({ name, summary, load }: ListedCommand): Promise<string> {
  const { synopsis, optionHelp } = await load();
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
