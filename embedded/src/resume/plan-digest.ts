import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { changedParts, changedPartWords, comparabilityKey } from '@proofmark/domain/comparability-key';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { z } from 'zod';
import { loadedSuite } from '../definitions/loaded-suite.ts';
import type { DigestedCase, KeptPlan, PlannedSuite } from '../results/run-plan.ts';

interface Planned {
  definitions: LoadedDefinitions;
  suiteRuns: readonly PlannedSuiteRun[];
}

/** Everything that decides what comes of a run, as digests: equal ones mean the same test runs and the same verdicts. */
export function digestPlan({ definitions, suiteRuns }: Planned): Pick<KeptPlan, 'files' | 'parts' | 'suite_runs'> {
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
): DigestedCase {
  // Tags and difficulty are no part of the question, but reports count by them.
  const group = work === null ? '' : digest([work.case.tags, work.case.difficulty]);
  const question = `${caseHash.slice(0, 16)}${group.slice(0, 8)}`;
  const variables =
    resolvedVariables === null ? placeOf(decided ?? nothing) : place(valueDigests(resolvedVariables, digest));
  const [agent, model] = [work?.agent ?? nothing, work?.model ?? nothing];
  return [caseName, question, place(instrumentHash), placeOf(agent), placeOf(model), variables];
}

/** A digest per value, so that a change can name its variable. */
const valueDigests = ({ values }: ResolvedVariables, digest: Parts['digest']): string =>
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

type Digested = Pick<KeptPlan, 'proofmark_version' | 'files' | 'parts' | 'suite_runs'>;

/** What is no longer as it was when the run started, a sentence per change in words of the definitions; empty: nothing. */
export function changesSince(then: Digested, now: Digested): string[] {
  const before = new Map(then.suite_runs.map((one) => [keyOf(one), one]));
  const after = new Map(now.suite_runs.map((one) => [keyOf(one), one]));
  const found = [
    ...changedVersion(then, now),
    ...changedFiles(then.files, now.files),
    ...[...before].flatMap(([key, one]) => (after.has(key) ? [] : [`${nameOf(one)} is gone`])),
    ...[...after].flatMap(([key, one]) => (before.has(key) ? [] : [`${nameOf(one)} is new`])),
    ...[...after].flatMap(([key, one]) => {
      const other = before.get(key);
      return other === undefined ? [] : changedSuiteRun([other, then.parts], [one, now.parts]);
    }),
  ];
  // The cells of a matrix and the cases of a suite have most of what can change in common.
  return [...new Set(found)];
}

const keyOf = ({ suite_path, suite, cell, variant }: PlannedSuite): string =>
  JSON.stringify([suite_path, suite, cell, variant]);

function nameOf({ suite_path, suite, cell, variant }: PlannedSuite): string {
  const side = variant === 'baseline' ? ' at the base' : '';
  return `${suite_path}: ${cell === '' ? `the suite '${suite}'` : `the cell ${cell} of '${suite}'`}${side}`;
}

const changedVersion = ({ proofmark_version: then }: Digested, { proofmark_version: now }: Digested): string[] =>
  then === now ? [] : [`proofmark was ${then} then, and is ${now} now`];

function changedFiles(then: KeptPlan['files'], now: KeptPlan['files']): string[] {
  const paths = [...new Set([...Object.keys(then), ...Object.keys(now)])].toSorted();
  return paths.flatMap((path) => {
    if (then[path] === now[path]) return [];
    if (now[path] === undefined) return [`${path}: a file of a case, is gone or no longer named`];
    return [`${path}: a file of a case, ${then[path] === undefined ? 'is new' : 'holds something else'}`];
  });
}

/** A suite run with the digests to which its places point. */
type Placed = readonly [suiteRun: PlannedSuite, parts: readonly string[]];

function changedSuiteRun(then: Placed, now: Placed): string[] {
  const [[before, oldParts], [after, newParts]] = [then, now];
  const place = after.variant === 'baseline' ? `${after.suite_path} at the base` : after.suite_path;
  const cases = new Map(before.cases.map((one) => [one[0], one]));
  const names = new Set(after.cases.map(([name]) => name));
  return [
    ...(oldParts[before.gate] === newParts[after.gate] ? [] : [`${place}: the gate has changed`]),
    ...(oldParts[before.labels] === newParts[after.labels]
      ? []
      : [`${place}: the labelled answers for its judge have changed`]),
    ...(before.repetitions === after.repetitions || before.cases.length === 0 || after.cases.length === 0
      ? []
      : [`${place}: the repetitions were ${before.repetitions} then, and are ${after.repetitions} now`]),
    ...[...cases.keys()].flatMap((name) => (names.has(name) ? [] : [`${place}: the case '${name}' is gone`])),
    ...after.cases.flatMap((one) => {
      const other = cases.get(one[0]);
      if (other === undefined) return [`${place}: the case '${one[0]}' is new`];
      return changedCase([other, oldParts], [one, newParts], after);
    }),
  ];
}

type PlacedCase = readonly [testCase: DigestedCase, parts: readonly string[]];

function changedCase(
  [[, oldQuestion, ...then], oldParts]: PlacedCase,
  [[name, question, ...now], newParts]: PlacedCase,
  { suite_path, agent, agent_path, variant }: PlannedSuite,
): string[] {
  const place = variant === 'baseline' ? `${suite_path} at the base` : suite_path;
  const [oldInstrument = '', oldAgent, oldModel, oldVariables = ''] = then.map((at) => oldParts[at] ?? '');
  const [instrument = '', newAgent, model, variables = ''] = now.map((at) => newParts[at] ?? '');
  const keyOfMeasurement = (hash: string): string => comparabilityKey('', hash, '');
  const changed = changedParts(keyOfMeasurement(oldInstrument), keyOfMeasurement(instrument));
  const measured = changedPartWords({ changedParts: changed });
  const measurement = measured === '' ? [] : [`${place}: what measures the answers has changed: ${measured}`];
  // Its texts and its model may only differ because of a value.
  if (variables !== oldVariables) return [`${place}: ${variableWords(oldVariables, variables, name)}`, ...measurement];
  return [
    ...(question === oldQuestion ? [] : [`${place}: the case '${name}' has changed`]),
    ...(newAgent === oldAgent ? [] : [`${agent_path ?? place}: the agent '${agent}' has changed`]),
    ...(model === oldModel ? [] : [`${place}: the AI configuration of the agent '${agent}' has changed`]),
    ...measurement,
  ];
}

const Values = z.array(z.tuple([z.string(), z.string()]));

function variableWords(then: string, now: string, caseName: string): string {
  const [before, after] = [valuesOf(then), valuesOf(now)];
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );
  const [only] = names;
  if (only === undefined) return `the variables of the case '${caseName}' have changed`;
  return names.length === 1 ? `the value of ${only} has changed` : `the values of ${names.join(', ')} have changed`;
}

/** Empty where the variables could not be resolved. */
function valuesOf(part: string): Map<string, string> {
  return new Map(part.startsWith('[') ? Values.safeParse(JSON.parse(part)).data : []);
}
