import type { ToolExpectation } from './test-case.ts';

/** What a list of tool names expects: that each is used at all, so a name that stands twice asks for nothing more. */
export const expectTools = (names: readonly string[]): ToolExpectation[] =>
  [...new Set(names)].map((tool) => ({ tool, expected_params: null, forbidden: false }));
