import type { AgentDriver } from '@proofmark/contracts/agent-file';
import { isMapped } from '@proofmark/contracts/service-presets';

/** Whether an agent that asks for a tool can be told to run its own: those that speak our protocol can. */
export function runsOwnTools(driver: AgentDriver): boolean {
  return driver.type === 'command' || driver.type === 'module' || (driver.type === 'http' && !isMapped(driver));
}
