import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../run/parse-json.ts';
import { RunPlan } from './run-plan.ts';

export const planName = 'plan.json';

export type ReadPlan = { ok: true; plan: RunPlan } | { ok: false; message: string };

/** What the run of a folder was to do; a message when there is no such run, or none that can go on. */
export async function readPlan(folder: string): Promise<ReadPlan> {
  const path = join(folder, planName);
  if (!existsSync(path)) return { ok: false, message: whyNoPlan(folder) };
  const parsed = RunPlan.safeParse(parseJson(await readFile(path, 'utf8')));
  if (parsed.success) return { ok: true, plan: parsed.data };
  const [issue] = parsed.error.issues;
  return { ok: false, message: `${path} is no plan of a run: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}` };
}

const RunFile = z.looseObject({ run_url: z.string() });

const isOfCoordinator = (path: string): boolean =>
  existsSync(path) && RunFile.safeParse(parseJson(readFileSync(path, 'utf8'))).success;

function whyNoPlan(folder: string): string {
  if (!existsSync(folder)) return `There is no folder ${folder}`;
  if (existsSync(join(folder, 'settings.json'))) return `${folder} is a session of \`ab\`, not a run`;
  if (isOfCoordinator(join(folder, 'run.json'))) {
    return `${folder} was run by a coordinator, where it goes on by itself`;
  }
  return `${folder} does not say what the run was to do (${planName} is missing)`;
}
