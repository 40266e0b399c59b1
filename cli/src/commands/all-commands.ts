import type { Command } from '../arguments/command.ts';
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
import { schema } from './schema.ts';
import { sessions } from './sessions.ts';
import { validate } from './validate.ts';

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
  schema,
];
