import type { AgentDriver } from '@proofmark/contracts/agent-file';

const seeing: Readonly<Record<AgentDriver['type'], boolean>> = {
  openai: true,
  // The agent protocol has no pictures, and a scripted agent no eyes.
  http: false,
  command: false,
  module: false,
  scripted: false,
};

/** Whether agents of this driver are given pictures, not only what is known about them. */
export const takesImages = ({ type }: AgentDriver): boolean => seeing[type];
