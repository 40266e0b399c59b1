import type { ParseArgsOptionsConfig } from 'node:util';
import type { Terminal } from '../output/terminal.ts';
import type { CliEnvironment } from './environment.ts';
import type { ExitCode } from './exit-code.ts';
import type { CommandInput, OptionalValues } from './parse-arguments.ts';

/** The world of a command. */
export interface CommandContext {
  cwd: string;
  terminal: Terminal;
  environment: CliEnvironment;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  version: string;
}

export type CommandResult = { ok: true; code: ExitCode } | { ok: false; usage: string };

/** A command as the overview knows it. */
export interface ListedCommand {
  name: string;
  /** One line for the overview. */
  summary: string;
  /** It is about what a coordinator has, and does nothing without one. */
  isOfCoordinator?: boolean;
  load: () => Promise<Command>;
}

export interface Command {
  /** What may follow the name: `[paths] [--json]`. */
  synopsis: string;
  /** One line per option, for `--help`. */
  optionHelp: readonly (readonly [option: string, meaning: string])[];
  options: ParseArgsOptionsConfig;
  /** Those that may be typed without their value. */
  optionalValues?: OptionalValues;
  /** The words that may stand first behind the name; absent: paths and ids, which no shell completes from a list. */
  verbs?: readonly string[];
  run: (input: CommandInput, context: CommandContext) => Promise<CommandResult>;
}

export const done = (code: ExitCode): CommandResult => ({ ok: true, code });

/** Wrong usage: the message says what to type instead. */
export const wrongUsage = (usage: string): CommandResult => ({ ok: false, usage });
