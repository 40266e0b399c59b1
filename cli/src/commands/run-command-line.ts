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

${listOf((command) => command.isOfCoordinator !== true)}
What a coordinator has, that of --coordinator or PROOFMARK_COORDINATOR, with the token of PROOFMARK_TOKEN:

${listOf((command) => command.isOfCoordinator === true)}
\`proofmark help COMMAND\` shows its options.
Exit codes: 0 fine, 1 the gate says no, 2 wrong usage or invalid definitions, 3 not everything could be judged, 130 interrupted.
`;

const listOf = (isShown: (command: ListedCommand) => boolean): string =>
  table(
    commands.filter(isShown).map(({ name, summary }) => [name.padEnd(longestName), summary]),
    '  ',
  );

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
  {
    name: 'runs',
    summary: 'Find runs of a coordinator, and write notes on them',
    isOfCoordinator: true,
    load: async () => (await import('./stored.ts')).runs,
  },
  {
    name: 'suites',
    summary: 'List the suites that a coordinator has stored, and their tests',
    isOfCoordinator: true,
    load: async () => (await import('./stored.ts')).suites,
  },
  {
    name: 'test',
    summary: 'Run one test as a coordinator has stored it, and say whether the gate accepts it',
    isOfCoordinator: true,
    load: async () => (await import('./run-stored.ts')).test,
  },
  {
    name: 'rerun',
    summary: 'Start a run of a coordinator once more, all of it or what did not pass',
    isOfCoordinator: true,
    load: async () => (await import('./run-stored.ts')).rerun,
  },
  {
    name: 'cancel',
    summary: 'End a run that a coordinator executes',
    isOfCoordinator: true,
    load: async () => (await import('./cancel.ts')).cancel,
  },
  {
    name: 'export',
    summary: 'Fetch the results of a run of a coordinator as a file',
    isOfCoordinator: true,
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'schedules',
    summary: 'Say when stored suites run by themselves, and see what came of it',
    isOfCoordinator: true,
    load: async () => (await import('./stored.ts')).schedules,
  },
  {
    name: 'alerts',
    summary: 'List what people were told without looking',
    isOfCoordinator: true,
    load: async () => (await import('./alerts.ts')).alerts,
  },
  {
    name: 'channels',
    summary: 'Make, try and change the ways by which people are told of alerts',
    isOfCoordinator: true,
    load: async () => (await import('./alerts.ts')).channels,
  },
  {
    name: 'runners',
    summary: 'List the runners that are connected to a coordinator',
    isOfCoordinator: true,
    load: async () => (await import('./tenant.ts')).runners,
  },
  {
    name: 'repositories',
    summary: 'List the repositories of a tenant, and narrow whose jobs are let in',
    isOfCoordinator: true,
    load: async () => (await import('./tenant.ts')).repositories,
  },
  {
    name: 'settings',
    summary: 'List and change the settings of a tenant',
    isOfCoordinator: true,
    load: async () => (await import('./tenant.ts')).settings,
  },
  {
    name: 'tokens',
    summary: 'Make, replace and end the tokens of programs',
    isOfCoordinator: true,
    load: async () => (await import('./tokens.ts')).tokens,
  },
  {
    name: 'people',
    summary: 'Make people and services, and say what they may be',
    isOfCoordinator: true,
    load: async () => (await import('./tenant.ts')).people,
  },
  {
    name: 'tenants',
    summary: 'Show whose tenant a token is for, and make tenants',
    isOfCoordinator: true,
    load: async () => (await import('./tenant.ts')).tenants,
  },
  {
    name: 'audit',
    summary: 'List who changed what in a tenant',
    isOfCoordinator: true,
    load: async () => (await import('./tenant.ts')).audit,
  },
];

const longestName = Math.max(...commands.map(({ name }) => name.length));
