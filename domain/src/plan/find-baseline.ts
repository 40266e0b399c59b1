import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
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
