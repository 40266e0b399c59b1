import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { findNamed, lastRun } from '@proofmark/embedded/name-run';
import { type RunCommand, readPlan } from '@proofmark/embedded/run-plan';
import { keptRun } from '../arguments/kept-run.ts';
import type { CommandInput } from '../arguments/parse-arguments.ts';

/** A run that goes on, as it was typed when it started. */
export interface ResumedRun {
  runId: string;
  runSeed: string;
  resultsDirectory: string;
  input: CommandInput;
  base: RunCommand['base'];
}

type FoundRun = { ok: true; resumed: ResumedRun } | { ok: false; message: string };

/** Options that may be typed along with `--resume`: they change nothing of what is run. */
const free = ['resume', 'results', 'concurrency', 'format', 'output', 'json'];
const ofReport = ['format', 'output', 'json'];

interface Asked {
  /** The id of a run, or the path of its folder. */
  resume: string;
  results: string;
  typed: CommandInput;
  cwd: string;
}

/** The run that `--resume` names; a message when it cannot go on from here. */
export async function findRun({ resume, results, typed, cwd }: Asked): Promise<FoundRun> {
  const wrong = surplus(typed);
  if (wrong !== undefined) return { ok: false, message: wrong };
  const folder = folderOf({ resume, results, cwd });
  const read = await readPlan(folder);
  if (!read.ok) return { ok: false, message: `${read.message}: there is nothing to go on with.` };
  const { run_id: runId, run_seed: runSeed, command } = read.plan;
  if (runId !== basename(folder)) return { ok: false, message: `${folder} holds the run ${runId}: name it so again.` };
  if (command === null) return { ok: false, message: `${runId} was not started by \`proofmark run\`.` };
  const startedIn = resolve(folder, command.cwd);
  if (!isSameFolder(startedIn, cwd)) return { ok: false, message: `${runId} was started in ${startedIn}: go there.` };
  const input = { values: mergedOptions(command, typed.values), positionals: command.paths };
  return { ok: true, resumed: { runId, runSeed, resultsDirectory: dirname(folder), input, base: command.base } };
}

function surplus({ values, positionals }: CommandInput): string | undefined {
  const option = Object.keys(values).find((name) => values[name] !== undefined && !free.includes(name));
  if (option !== undefined) return `--resume goes on as the run was started: leave out --${option}.`;
  return positionals.length > 0 ? '--resume goes on as the run was started: leave out the paths.' : undefined;
}

/** A path is what looks like one, or is one where no run of the results has this id; `last` is the newest run of the results. */
function folderOf({ resume, results, cwd }: Pick<Asked, 'resume' | 'results' | 'cwd'>): string {
  const ofResults = resolve(cwd, results, resume);
  if (resume === lastRun) return findNamed(resume, [resolve(cwd, results)])?.path ?? ofResults;
  const isPath =
    resume.includes('/') || resume.includes(sep) || (!existsSync(ofResults) && existsSync(resolve(cwd, resume)));
  return isPath ? resolve(cwd, resume) : ofResults;
}

function isSameFolder(one: string, other: string): boolean {
  return existsSync(one) && realpathSync(one) === realpathSync(other);
}

/** How the report is told is typed anew as a whole, or as it was. */
function mergedOptions({ options }: RunCommand, typed: CommandInput['values']): CommandInput['values'] {
  const tellsReport = ofReport.some((name) => typed[name] !== undefined);
  const kept = Object.entries(options).filter(([name]) => !(tellsReport && ofReport.includes(name)));
  return { ...Object.fromEntries(kept), ...typed };
}

/** What `--resume` needs to know of a run that starts now. */
export function commandOf(
  { values, positionals }: CommandInput,
  { folder, cwd, base, results }: { folder: string; cwd: string; base: RunCommand['base']; results: string },
): RunCommand {
  const left = ['resume', 'results', 'coordinator'];
  const namesRun = base?.kind === 'results' ? ['only-failed', 'compare'] : ['only-failed'];
  const typed = Object.entries(values).flatMap(([name, value]): [string, RunCommand['options'][string]][] => {
    if (left.includes(name)) return [];
    if (typeof value === 'string' && namesRun.includes(name)) return [[name, lastingName(value, { cwd, results })]];
    if (typeof value === 'string' || typeof value === 'boolean') return [[name, value]];
    return Array.isArray(value) ? [[name, value.map(String)]] : [];
  });
  return { cwd: relative(folder, cwd), paths: [...positionals], options: Object.fromEntries(typed), base };
}

/** An earlier run by its place, from where it was typed: the run that starts now is `last` as soon as it has a folder. */
function lastingName(typed: string, { cwd, results }: { cwd: string; results: string }): string {
  const run = keptRun(typed, { cwd, results });
  if (run === null) return typed;
  return `${relative(cwd, run.path) || '.'}${run.repetition === null ? '' : `#${run.repetition}`}`;
}

/** What to type to go on with a run or a session, in the folder in which it was started. */
export function resumeLine(command: 'run' | 'ab', id: string, results: string): string {
  const place = results === 'results' ? '' : ` --results ${quoted(results)}`;
  return `proofmark ${command} --resume ${id}${place}`;
}

/** As a shell takes it for one word. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** `20251101-143000-1a2b3c`, of a run or a session: sorts by time, and two in one second differ. */
export function newId(now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(3).toString('hex')}`;
}
