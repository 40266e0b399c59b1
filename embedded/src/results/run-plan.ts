import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Variant } from '@proofmark/contracts/case-work';
import { parseJson } from '@proofmark/contracts/parse-json';
import { z } from 'zod';

/** What was typed to start a run; typed again in the same folder it means the same. */
export const RunCommand = z.strictObject({
  /** Where it was typed, from the folder of the run. */
  cwd: z.string(),
  paths: z.array(z.string()),
  /** The options by their names, as they were typed. */
  options: z.record(z.string(), z.json()),
  /** What `--compare` named then; null without it. */
  base: z
    .union([
      z.strictObject({ kind: z.literal('commit'), commit: z.string() }),
      z.strictObject({ kind: z.literal('results'), digest: z.string() }),
    ])
    .nullable(),
});
export type RunCommand = z.infer<typeof RunCommand>;

/** The place of a digest among `parts`: most cases have most of them in common. */
const Part = z.int().min(0);

/** Name, question, and the places of its instrument, agent, model and variables. */
const DigestedCase = z.tuple([z.string(), z.string(), Part, Part, Part, Part]);
export type DigestedCase = z.infer<typeof DigestedCase>;

/** One suite run as digests of everything that can change what comes of it. */
const PlannedSuite = z.strictObject({
  suite: z.string(),
  suite_path: z.string(),
  cell: z.string(),
  variant: Variant,
  agent: z.string(),
  /** Null: it stands in the suite file. */
  agent_path: z.string().nullable(),
  repetitions: z.int().min(0),
  /** How it is judged. */
  gate: Part,
  /** Labelled answers by which its judge is measured. */
  labels: Part,
  cases: z.array(DigestedCase),
});
export type PlannedSuite = z.infer<typeof PlannedSuite>;

/** `plan.json`: what a run was to do when it started, so that an interrupted one goes on with just that. */
export const KeptPlan = z.strictObject({
  run_id: z.string(),
  started_at: z.iso.datetime(),
  proofmark_version: z.string(),
  run_seed: z.string(),
  /** Null: it was not started by a command line. */
  command: RunCommand.nullable(),
  /** SHA-256 of each local file of a case. */
  files: z.record(z.string(), z.string()),
  parts: z.array(z.string()),
  suite_runs: z.array(PlannedSuite),
});
export type KeptPlan = z.infer<typeof KeptPlan>;

export const planName = 'plan.json';

type ReadPlan = { ok: true; plan: KeptPlan } | { ok: false; message: string };

/** What the run of a folder was to do; a message when there is no such run, or none that can go on. */
export async function readPlan(folder: string): Promise<ReadPlan> {
  const path = join(folder, planName);
  if (!existsSync(path)) return { ok: false, message: whyNoPlan(folder) };
  const parsed = KeptPlan.safeParse(parseJson(await readFile(path, 'utf8')));
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
