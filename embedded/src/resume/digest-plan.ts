import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { loadedSuite } from '../run/judge-cells.ts';
import type { PlannedCase, PlannedSuite, RunPlan } from './run-plan.ts';

interface Planned {
  definitions: LoadedDefinitions;
  suiteRuns: readonly PlannedSuiteRun[];
}

/** Everything that decides what comes of a run, as digests: equal ones mean the same test runs and the same verdicts. */
export function digestPlan({ definitions, suiteRuns }: Planned): Pick<RunPlan, 'files' | 'parts' | 'suite_runs'> {
  const parts = collectParts();
  const files: Record<string, string> = {};
  const suites = suiteRuns.map((planned): PlannedSuite => {
    const loaded = loadedSuite(definitions, planned);
    const { suiteName, suitePath, cellKey, variant, agentName, testRuns } = planned;
    const cases = testRuns.filter(({ repetition }) => repetition === 1);
    for (const { work } of cases) for (const { path, sha256 } of work?.contents ?? []) files[path] = sha256;
    return {
      suite: suiteName,
      suite_path: suitePath,
      cell: cellKey,
      variant,
      agent: agentName,
      agent_path: variant === 'baseline' ? null : agentFile(loaded),
      repetitions: testRuns.reduce((most, { repetition }) => Math.max(most, repetition), 0),
      gate: parts.placeOf(gateOf(loaded)),
      labels: parts.placeOf(loaded.calibration ?? nothing),
      cases: cases.map((testRun) => digestCase(testRun, parts)),
    };
  });
  return { files, parts: parts.all, suite_runs: suites };
}

/** Null for an agent that stands in the suite file. */
const agentFile = ({ agentPath, path }: LoadedSuite): string | null => (agentPath === path ? null : agentPath);

const gateOf = ({ suite: { gate, alert_on_regression, alert_threshold_percent } }: LoadedSuite) => ({
  gate,
  alert_on_regression,
  alert_threshold_percent,
});

function digestCase(
  { caseName, caseHash, instrumentHash, resolvedVariables, decided, work }: PlannedTestRun,
  { placeOf, place, digest }: Parts,
): PlannedCase {
  // Tags and difficulty are no part of the question, but reports count by them.
  const group = work === null ? '' : digest([work.case.tags, work.case.difficulty]);
  const question = `${caseHash.slice(0, 16)}${group.slice(0, 8)}`;
  const variables =
    resolvedVariables === null ? placeOf(decided ?? nothing) : place(valuesOf(resolvedVariables, digest));
  const [agent, model] = [work?.agent ?? nothing, work?.model ?? nothing];
  return [caseName, question, place(instrumentHash), placeOf(agent), placeOf(model), variables];
}

/** A digest per value, so that a change can name its variable. */
const valuesOf = ({ values }: ResolvedVariables, digest: Parts['digest']): string =>
  JSON.stringify(Object.entries(values).map(([name, value]) => [name, digest(value).slice(0, 12)]));

const nothing = {};

interface Parts {
  all: string[];
  /** The place of what the digest says already. */
  place: (digest: string) => number;
  /** The place of the digest of a value. */
  placeOf: (value: object) => number;
  /** Of a small value that most cases have alike: hashed once. */
  digest: (value: unknown) => string;
}

/** Each distinct digest once. What many cases share is one object, and hashed once. */
function collectParts(): Parts {
  const all: string[] = [];
  const places = new Map<string, number>();
  const known = new Map<object, number>();
  const place = (digest: string): number => {
    const found = places.get(digest) ?? all.length;
    if (found === all.length) all.push(digest);
    places.set(digest, found);
    return found;
  };
  const digests = new Map<string, string>();
  return {
    all,
    place,
    digest: (value) => {
      const text = JSON.stringify(value);
      const found = digests.get(text) ?? contentHash(value);
      digests.set(text, found);
      return found;
    },
    placeOf: (value) => {
      const found = known.get(value) ?? place(contentHash(value));
      known.set(value, found);
      return found;
    },
  };
}
