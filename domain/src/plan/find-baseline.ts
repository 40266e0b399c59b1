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
  if (driver.type !== 'command' || baseCheckout === 'given') return undefined;
  if (baseCheckout === 'missing') {
    return `The agent '${name}' is code of the repository: check the base out as well and name its folder with base-path`;
  }
  return isSame
    ? `The agent '${name}' is the same command for both versions: only its history can be compared with`
    : undefined;
}

/** The base's agent, called where the base's version is deployed. */
export function atBaseEndpoint(agent: AgentDefinition): AgentDefinition {
  const { driver } = agent;
  if (driver.type !== 'http' || driver.base_endpoint === undefined) return agent;
  return { ...agent, driver: { ...driver, url: driver.base_endpoint } };
}
