import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { isError } from '@proofmark/contracts/problem';
import { plural } from '@proofmark/domain/format-numbers';
import { withGatesOf } from '@proofmark/domain/gates-of-base';
import { collectAtCommit } from '@proofmark/embedded/collect-at-commit';
import type { EarlierResults } from '@proofmark/embedded/judge-again';
import type { RunCommand } from '@proofmark/embedded/run-plan';
import { readStoredResults } from '@proofmark/embedded/stored-results';

/** What `--compare` names: definitions of a commit, which run beside the head, or results of an earlier run. */
type Base =
  | { kind: 'commit'; definitions: LoadedDefinitions; name: string; commit: string }
  | {
      kind: 'results';
      earlier: EarlierResults;
      /** What simulated tools answered in that run. */
      heard: readonly CassetteEntry[];
      /** Equal for equal results. */
      digest: string;
    };

export type ChosenBase =
  | {
      ok: true;
      base: Base;
      /** The definitions to run: with the gates of the base, where it has them. */
      definitions: LoadedDefinitions;
      /** What a person should know before anything runs. */
      remarks: string[];
    }
  | { ok: false; message: string };

interface Question {
  compare: string;
  cwd: string;
  root: string;
  definitions: LoadedDefinitions;
  /** What it named when the run started that goes on: a branch may have moved on. */
  known: RunCommand['base'];
}

/** A path that exists is a results file or a run's folder; everything else names a commit. */
export async function chooseBase({ compare, cwd, root, definitions, known }: Question): Promise<ChosenBase> {
  const path = resolve(cwd, compare);
  const isPath = known === null ? existsSync(path) : known.kind === 'results';
  return isPath ? await fromResults(path, definitions, known) : fromCommit({ compare, root, definitions, known });
}

async function fromResults(
  path: string,
  definitions: LoadedDefinitions,
  known: Question['known'],
): Promise<ChosenBase> {
  const stored = await readStoredResults(path);
  if (!stored.ok) return { ok: false, message: `--compare: ${stored.message}` };
  const digest = contentHash(stored.suiteRuns.map(({ suiteName, cellKey, trials }) => [suiteName, cellKey, trials]));
  if (known?.kind === 'results' && known.digest !== digest) {
    return { ok: false, message: `--compare: the results in ${path} are no longer those that the run started with` };
  }
  const earlier: EarlierResults = (suiteName, cellKey) =>
    stored.suiteRuns.find((one) => one.suiteName === suiteName && one.cellKey === cellKey) ?? null;
  const missing = definitions.suites.filter(
    ({ suite }) => !stored.suiteRuns.some(({ suiteName }) => suiteName === suite.name),
  );
  const remarks = missing.map(({ suite }) => `The results have no suite '${suite.name}': nothing to compare it with.`);
  const heard = stored.suiteRuns.flatMap((one) => [...one.heard.values()]);
  return { ok: true, base: { kind: 'results', earlier, heard, digest }, definitions, remarks };
}

function fromCommit({ compare, root, definitions, known }: Omit<Question, 'cwd'>): ChosenBase {
  const at = collectAtCommit({ root, ref: known?.kind === 'commit' ? known.commit : compare });
  if (!at.ok) return { ok: false, message: `--compare: ${at.message}` };
  const { suites, changed } = withGatesOf(at.loaded.definitions, definitions.suites);
  const errors = at.loaded.problems.filter(isError);
  const [first] = errors;
  const broken =
    first === undefined
      ? []
      : [
          `${plural(errors.length, 'problem')} in the definitions of ${compare}; their suites have no baseline: ${first.file}:${first.line} ${first.message}`,
        ];
  const gates = changed.map((name) => `The gate of '${name}' is changed here; that of ${compare} decides.`);
  return {
    ok: true,
    base: { kind: 'commit', definitions: at.loaded.definitions, name: compare, commit: at.commit },
    definitions: { ...definitions, suites },
    remarks: [`Comparing with ${compare} (${at.commit.slice(0, 7)}).`, ...broken, ...gates],
  };
}
