import { suggestName } from '@proofmark/domain/suggest-name';
import type { Command, CommandContext } from '../arguments/command.ts';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import { readArguments } from '../arguments/parse-arguments.ts';
import { plain, table } from '../output/terminal.ts';
import { ab } from './ab.ts';
import { calibrate } from './calibrate.ts';
import { cancel } from './cancel.ts';
import { compare } from './compare.ts';
import { importCommand } from './import.ts';
import { init } from './init.ts';
import { list } from './list.ts';
import { replay } from './replay.ts';
import { report } from './report.ts';
import { resolve } from './resolve.ts';
import { run } from './run.ts';
import { schemaCommand } from './schema.ts';
import { sessions } from './sessions.ts';
import { validate } from './validate.ts';

/** Runs the command that was typed and says how the process ends. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const [name = 'help', ...rest] = args;
  const { terminal } = context;
  if (name === '--version' || name === 'version') return tell(context, `${context.version}\n`);
  if (name === '--help' || name === '-h') return tell(context, overview());
  if (name === 'help') return help(rest, context);
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    terminal.writeError(`${unknownCommand(name)}\n\n${overview()}`);
    return exitCodes.wrongUsage;
  }
  if (rest.includes('--help') || rest.includes('-h')) return tell(context, commandHelp(command));
  const parsed = readArguments(rest, command.options);
  const result = parsed.ok ? await command.run(parsed.input, context) : parsed;
  if (result.ok) return result.code;
  const lines = result.usage.split('\n').map(plain).join('\n');
  terminal.writeError(`proofmark ${name}: ${lines}\n\nUsage: proofmark ${name} ${command.synopsis}\n`);
  return exitCodes.wrongUsage;
}

function tell({ terminal }: CommandContext, text: string): ExitCode {
  terminal.write(text);
  return exitCodes.fine;
}

function help([name]: readonly string[], context: CommandContext): ExitCode {
  const command = commands.find((candidate) => candidate.name === name);
  return tell(context, command === undefined ? overview() : commandHelp(command));
}

function unknownCommand(name: string): string {
  const hint = suggestName(
    name,
    commands.map((command) => command.name),
  );
  return [`There is no command ${plain(name)}.`, hint].filter((part) => part !== undefined).join(' ');
}

const overview = (): string => `Usage: proofmark COMMAND

${table(
  commands.map(({ name, summary }) => [name, summary]),
  '  ',
)}
\`proofmark help COMMAND\` shows its options.
Exit codes: 0 fine, 1 the gate says no, 2 wrong usage or invalid definitions, 3 not everything could be judged, 130 interrupted.
`;

const commandHelp = ({ name, summary, synopsis, optionHelp }: Command): string =>
  `${summary}.\n\nUsage: proofmark ${name} ${synopsis}\n\n${table(optionHelp, '  ')}`;

/** Every command, in the order in which they are listed. */
export const commands: readonly Command[] = [
  init,
  validate,
  list,
  resolve,
  run,
  cancel,
  compare,
  ab,
  calibrate,
  sessions,
  replay,
  report,
  importCommand,
  schemaCommand,
];
