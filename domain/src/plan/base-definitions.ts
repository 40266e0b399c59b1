import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { Project } from '@proofmark/contracts/project';
import { buildInstrument, caseLimits, instrumentsOfCases } from './build-instrument.ts';
import type { PlanInput } from './run-request.ts';

/** The same suite at the base: by name, which identifies its cases, else by path (a suite that was renamed). */
export function findBaseline({ path, suite }: LoadedSuite, base: LoadedDefinitions): LoadedSuite | undefined {
  return (
    base.suites.find((candidate) => candidate.suite.name === suite.name) ??
    base.suites.find((candidate) => candidate.path === path)
  );
}

/** Names of cases that the suite had at the base and has no longer. */
export function removedCases(loaded: LoadedSuite, base: LoadedDefinitions | undefined): string[] {
  const before = base === undefined ? undefined : findBaseline(loaded, base);
  const names = new Set(loaded.suite.cases.map(({ name }) => name));
  return (before?.suite.cases ?? []).flatMap(({ name }) => (names.has(name) ? [] : [name]));
}

/** Names of suites that the base runs and that none of the head's is: neither by its name nor by its path. */
export function removedSuites(head: readonly LoadedSuite[], base: LoadedDefinitions): string[] {
  const kept = new Set(head.map((loaded) => findBaseline(loaded, base)));
  return base.suites.flatMap((loaded) => (kept.has(loaded) || !loaded.suite.is_enabled ? [] : [loaded.suite.name]));
}

/**
 * Why the base's agent cannot be run beside the head's, undefined when it can. The definition of a service or a command
 * does not hold its code: called at the same place, both sides would be the head and every comparison would look fine.
 */
export function whyNotExecutable(
  base: LoadedSuite,
  head: LoadedSuite,
  baseCheckout?: PlanInput['baseCheckout'],
): string | undefined {
  const { name, driver } = base.agent;
  const isSame = canonicalJson(driver) === canonicalJson(head.agent.driver);
  if (driver.type === 'http' && driver.base_endpoint === undefined && isSame) {
    const hint = baseCheckout === undefined ? '' : ' (base-path is for agents that are commands)';
    return `The agent '${name}' answers at one URL for both versions: set driver.base_endpoint to run the base's version${hint}`;
  }
  if ((driver.type !== 'command' && driver.type !== 'module') || baseCheckout === 'given') return undefined;
  if (baseCheckout === 'missing') {
    return `The agent '${name}' is code of the repository: check the base out as well and name its folder with base-path`;
  }
  return isSame
    ? `The agent '${name}' is the same ${driver.type === 'module' ? 'file' : 'command'} for both versions: only its history can be compared with`
    : undefined;
}

/** The base's agent, called where the base's version is deployed. */
export function atBaseEndpoint(agent: AgentDefinition): AgentDefinition {
  const { driver } = agent;
  if (driver.type !== 'http' || driver.base_endpoint === undefined) return agent;
  return { ...agent, driver: { ...driver, url: driver.base_endpoint } };
}

type OwnGate = Pick<LoadedSuite['suite'], 'gate' | 'alert_on_regression' | 'alert_threshold_percent'>;

/**
 * The suites with the gates of the base: a change cannot loosen the gate that it has to pass. Also which it would change.
 * Labelled answers are part of it: wrong ones would make the judge look weak, and a weak judge stops nobody.
 */
export function withGatesOf(
  base: LoadedDefinitions,
  suites: readonly LoadedSuite[],
): { suites: LoadedSuite[]; changed: string[] } {
  const changed: string[] = [];
  const gated = suites.map((loaded) => {
    const before = findBaseline(loaded, base);
    if (before === undefined) return loaded;
    const gate = gateOf(before);
    const isOther = canonicalJson(gate) !== canonicalJson(gateOf(loaded));
    if (isOther || before.calibration?.digest !== loaded.calibration?.digest) changed.push(loaded.suite.name);
    return { ...withLabelsOf(before, loaded), suite: { ...loaded.suite, ...gate } };
  });
  return { suites: gated, changed };
}

/** The suite with the labelled answers that its judge is held against at the base, or with none. */
export function withLabelsOf(before: LoadedSuite, { calibration: _own, ...loaded }: LoadedSuite): LoadedSuite {
  return { ...loaded, ...(before.calibration && { calibration: before.calibration }) };
}

function gateOf({ suite: { gate, alert_on_regression, alert_threshold_percent } }: LoadedSuite): OwnGate {
  return { gate, alert_on_regression, alert_threshold_percent };
}

/** Whether every case that both sides have is measured in the same way; otherwise earlier trials of the base say nothing. */
export function isMeasuredAlike(head: LoadedDefinitions, base: LoadedDefinitions): boolean {
  return head.suites.every((suite) => {
    const partner = findBaseline(suite, base);
    if (partner === undefined) return true;
    const [ofHead, ofBase] = [hashesOf(suite, head.project), hashesOf(partner, base.project)];
    return [...ofHead].every(([caseName, hash]) => (ofBase.get(caseName) ?? hash) === hash);
  });
}

/** By the name of the case; empty where the definitions name models that they do not have. */
function hashesOf(loaded: LoadedSuite, project: Project): Map<string, string> {
  const built = buildInstrument(loaded, project);
  if (!built.ok) return new Map();
  const instrumentOf = instrumentsOfCases(built.instrument, caseLimits(project.limits));
  return new Map(loaded.suite.cases.map((testCase) => [testCase.name, instrumentOf(testCase).hash]));
}
