import { z } from 'zod';

export const VariableValue = z.union([z.string(), z.number(), z.boolean()]);
export type VariableValue = z.infer<typeof VariableValue>;

/** The level that a value comes from. `ai_configuration` is the one that the variable of that name chose, `agent` the agent's own. */
export const VariableSource = z.enum(['run', 'suite', 'test', 'ai_configuration', 'agent', 'type']);
export type VariableSource = z.infer<typeof VariableSource>;

/** What a test run was given, and which level each value came from. Written once, before the task leaves. */
export const ResolvedVariables = z.strictObject({
  values: z.record(z.string(), VariableValue),
  sources: z.record(z.string(), VariableSource),
});
export type ResolvedVariables = z.infer<typeof ResolvedVariables>;
