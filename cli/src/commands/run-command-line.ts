import { suggestName } from '@proofmark/contracts/near-match';
import type { CommandContext, ListedCommand } from '../arguments/command.ts';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import { readArguments } from '../arguments/parse-arguments.ts';
import { plain, table } from '../output/terminal.ts';

/** Runs the command that was typed and says how the process ends. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const [name = 'help', ...rest] = args;
  const { terminal } = context;
  if (name === '--version' || name === 'version') return tell(context, `${context.version}\n`);
  if (name === '--help' || name === '-h') return tell(context, overview());
  if (name === 'help') return await help(rest, context);
  const listed = commands.find((candidate) => candidate.name === name);
  if (listed === undefined) {
    terminal.writeError(`${unknownCommand(name)}\n\n${overview()}`);
    return exitCodes.wrongUsage;
  }
  if (rest.includes('--help') || rest.includes('-h')) return tell(context, await commandHelp(listed));
  const command = await listed.load();
  const parsed = readArguments(rest, command.options, command.optionalValues);
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

async function help([name]: readonly string[], context: CommandContext): Promise<ExitCode> {
  const listed = commands.find((candidate) => candidate.name === name);
  return tell(context, listed === undefined ? overview() : await commandHelp(listed));
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

async function commandHelp({ name, summary, load }: ListedCommand): Promise<string> {
  const { synopsis, optionHelp } = await load();
  return `${summary}.\n\nUsage: proofmark ${name} ${synopsis}\n\n${table(optionHelp, '  ')}`;
}

/** Every command, in the order in which they are listed. What a command needs is loaded when it is typed: help is told at once. */
export const commands: readonly ListedCommand[] = [
  {
    name: 'init',
    summary: 'Write a first suite and workflow, with an agent that runs without a key',
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'validate',
    summary: 'Check suite, agent and project files and list everything that is wrong in them',
    load: async () => (await import('./validate.ts')).validate,
  },
  {
    name: 'list',
    summary: 'List suites and cases, and with --show-variables what can be varied',
    load: async () => (await import('./list.ts')).list,
  },
  {
    name: 'resolve',
    summary: 'Print the value of each variable in each case, and where it comes from',
    load: async () => (await import('./resolve.ts')).resolve,
  },
  {
    name: 'run',
    summary: 'Run suites, here or on a coordinator, and say whether the gate accepts them',
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'watch',
    summary: 'Run suites, and again whatever a change of their files touches',
    load: async () => (await import('./watch.ts')).watch,
  },
  {
    name: 'rescore',
    summary: 'Judge all stored answers of a run anew, with the checks and judges of today, and ask no agent',
    load: async () => (await import('./rescore.ts')).rescore,
  },
  {
    name: 'cancel',
    summary: 'End a run that a coordinator executes',
    load: async () => (await import('./cancel.ts')).cancel,
  },
  {
    name: 'compare',
    summary: 'Compare the results of two runs, as the gate does',
    load: async () => (await import('./compare.ts')).compare,
  },
  {
    name: 'ab',
    summary: 'Ask a baseline and a candidate agent the same questions; compare answers, tokens and times',
    load: async () => (await import('./ab.ts')).ab,
  },
  {
    name: 'calibrate',
    summary: 'Measure the judges of suites with the labelled answers of their calibration files',
    load: async () => (await import('./calibrate.ts')).calibrate,
  },
  {
    name: 'sessions',
    summary: 'List the sessions of `ab` and the runs that are kept, show one, or change the notes of a session',
    load: async () => (await import('./sessions.ts')).sessions,
  },
  {
    name: 'replay',
    summary: 'Repeat one stored test run from what it was given, and show what differs',
    load: async () => (await import('./replay.ts')).replay,
  },
  {
    name: 'report',
    summary: 'Write a report file, all reports of a run or an A/B session in another format',
    load: async () => (await import('./report.ts')).report,
  },
  {
    name: 'import',
    summary: 'Translate the configuration of another tool into suites and agents',
    load: async () => (await import('./import.ts')).importCommand,
  },
  {
    name: 'doctor',
    summary: 'Look at definitions, keys, model servers and the coordinator, and say what is wrong and what to do',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a kind of file, for completion in editors',
    load: async () => (await import('./schema.ts')).schemaCommand,
  },
  {
    name: 'completion',
    summary: 'Print what makes a shell complete commands and options',
    load: async () => (await import('./completion.ts')).completionOf(() => commands),
  },
];
