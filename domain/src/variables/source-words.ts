import type { VariableSource } from '@proofmark/contracts/variables';

/** Where a value comes from, as people read it. */
export const sourceWords: Readonly<Record<VariableSource, string>> = {
  run: 'run',
  suite: 'suite',
  test: 'test',
  ai_configuration: 'AI configuration',
  agent: 'agent',
  type: 'type',
};
