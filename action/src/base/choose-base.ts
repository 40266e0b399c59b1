import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import { isError } from '@proofmark/contracts/problem';
import type { Change } from '@proofmark/domain/affected-suites';
import { z } from 'zod';
import { type Forge, failureOf } from '../forge/open-forge.ts';
import type { Inputs } from '../job/inputs.ts';
import { foreignLine, type Job } from '../job/job.ts';
import type { JobTrigger } from '../job/read-event.ts';
import type { SuiteSearch } from '../job/suite-search.ts';
import { readBaseDefinitions } from './read-definitions.ts';

/** How a commit came from another one. */
export interface Comparison {
  /** The last commit that both have; null when it is not known. */
  mergeBaseSha: string | null;
  change: Change;
}

/** What a run inside a job is compared with, as it was committed. */
export interface ComparedBase {
  sha: string;
  /** How it was chosen: `merge base`, or the ref that the input names. */
  label: string;
  definitions: LoadedDefinitions;
}

/** Null: nothing is compared, and the log says why unless nobody asked for it. `refused`: the ref cannot be meant. */
type ChosenBase = { ok: true; base: ComparedBase | null } | { ok: false; message: string };

interface BaseOptions {
  inputs: Pick<Inputs, 'baseline'>;
  trigger: JobTrigger;
  comparison: Comparison | null;
  forge: Forge | null;
  search: SuiteSearch;
  root: string;
}

type WantedCommit = { sha: string; label: string };

/** The base of a proposal is its merge base; other events are compared with nothing unless the input names a ref. */
export async function chooseBase(options: BaseOptions, job: Job): Promise<ChosenBase> {
  const { baseline } = options.inputs;
  if (baseline === 'none') return { ok: true, base: null };
  const isRef = baseline !== 'auto' && baseline !== 'run';
  if (!isRef && !isProposal(options.trigger)) return { ok: true, base: null };
  if (isRef && options.forge === null) return { ok: false, message: 'baseline needs the input github-token.' };
  try {
    const wanted = isRef ? await commitOf(baseline, options.forge) : mergeBase(options, job);
    return wanted === null ? { ok: true, base: null } : { ok: true, base: await readBase(wanted, options, job) };
  } catch (error) {
    const { reason } = failureOf(error, job.now());
    if (isRef) return { ok: false, message: `The baseline ${baseline} cannot be read: ${reason}` };
    job.remark({
      level: 'warning',
      message: `The base cannot be read, so nothing is compared: ${foreignLine(reason)}`,
    });
    return { ok: true, base: null };
  }
}

/** Whether somebody proposes a change: such a run is compared. */
function isProposal({ event, pullRequest }: JobTrigger): boolean {
  return event === 'pull_request' || event === 'merge_group' || pullRequest !== null;
}

function mergeBase({ comparison, forge }: BaseOptions, job: Job): WantedCommit | null {
  const sha = comparison?.mergeBaseSha ?? null;
  if (sha !== null) return { sha, label: 'merge base' };
  const why = forge === null ? 'it needs the input github-token' : 'GitHub does not tell the merge base';
  job.remark({ level: 'warning', message: `Nothing is compared with the base: ${why}.` });
  return null;
}

async function commitOf(ref: string, forge: Forge | null): Promise<WantedCommit | null> {
  if (forge === null) return null;
  const answer = await forge.read('GET /repos/{owner}/{repo}/commits/{ref}', { ref });
  return { sha: z.looseObject({ sha: z.string() }).parse(answer).sha, label: ref };
}

async function readBase(
  { sha, label }: WantedCommit,
  { forge, search, root }: BaseOptions,
  { write, remark }: Job,
): Promise<ComparedBase | null> {
  if (forge === null) return null;
  const loaded = await readBaseDefinitions({ forge, commitSha: sha, search, root });
  const at = `the base ${sha.slice(0, 7)} (${foreignLine(label)})`;
  if (loaded === null) {
    remark({ level: 'warning', message: `Nothing is compared: ${at} has more files than GitHub lists.` });
    return null;
  }
  const errors = loaded.problems.filter(isError);
  const [first] = errors;
  if (first !== undefined) {
    const more = `${first.file}:${first.line} ${first.message}`;
    const message = `${errors.length} problems in the definitions of ${at}; such suites are without a baseline: ${more}`;
    remark({ level: 'warning', message: foreignLine(message) });
  }
  write(`Comparing with ${at}.`);
  return { sha, label, definitions: loaded.definitions };
}

/** `inside`: the folder from the root when it is below it, where no suite of the head may be looked for. */
type PlaceOfBase = { ok: true; folder: string | null; inside: string | null } | { ok: false; message: string };

/** The folder that `base-path` names, from the root or absolute. It has to be another one than the root. */
export function placeOfBase(root: string, basePath: string | null): PlaceOfBase {
  if (basePath === null) return { ok: true, folder: null, inside: null };
  const folder = resolve(root, basePath);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return { ok: false, message: `base-path: there is no folder ${basePath}; check the base out there.` };
  }
  const path = relative(root, folder).replaceAll('\\', '/');
  if (path === '') return { ok: false, message: 'base-path has to be another folder than the checkout of the head.' };
  return { ok: true, folder, inside: path.startsWith('../') || path === '..' || /^[A-Za-z]:/.test(path) ? null : path };
}
