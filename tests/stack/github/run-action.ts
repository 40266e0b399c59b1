import { readFile } from 'node:fs/promises';
import { spawnOwned } from '../owned-process.ts';

export type ActionResult = {
  exitCode: number | null;
  outputs: Record<string, string>;
  state: Record<string, string>;
  summary: string;
  /** What the job's log would show, commands included. */
  log: string;
};

/** Runs a script of the Action in this environment, as the runner does, and collects what it left behind. */
export async function runAction(
  script: string,
  environment: Record<string, string>,
  onLine?: (line: string) => void,
): Promise<ActionResult> {
  const process = await spawnOwned(globalThis.process.execPath, [script], {
    env: environment,
    ...(environment.GITHUB_WORKSPACE === undefined ? {} : { cwd: environment.GITHUB_WORKSPACE }),
    ...(onLine === undefined ? {} : { onLine }),
  });
  const { code } = await process.exited;
  const read = async (name: string) => readFile(environment[name] ?? '', 'utf8');
  return {
    exitCode: code,
    outputs: parseFileCommands(await read('GITHUB_OUTPUT')),
    state: parseFileCommands(await read('GITHUB_STATE')),
    summary: await read('GITHUB_STEP_SUMMARY'),
    log: process.log(),
  };
}

/** The values in a file of `name=value` lines and `name<<delimiter` blocks; a later one replaces an earlier one. */
export function parseFileCommands(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  while (lines.length > 0) {
    const line = lines.shift() ?? '';
    const block = /^([^=]+?)<<(.+)$/.exec(line);
    if (block !== null) {
      const end = lines.indexOf(block[2] ?? '');
      if (end < 0) throw new Error(`the value of "${block[1]}" has no end`);
      values[block[1] ?? ''] = lines
        .splice(0, end + 1)
        .slice(0, -1)
        .join('\n');
      continue;
    }
    const at = line.indexOf('=');
    if (at > 0) values[line.slice(0, at)] = line.slice(at + 1);
  }
  return values;
}
