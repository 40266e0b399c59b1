import { z } from 'zod';
import { expandMatrix } from '../matrix/expand-matrix.ts';
import { convertAssignments, parseAssignments } from '../variables/parse-assignments.ts';
import { resolveVariables } from '../variables/resolve-variables.ts';
import { type Adapter, adapter } from './adapter.fixture.ts';
import { parseVariableConfigs } from './parse-variable-config.fixture.ts';

const Resolution = z.object({
  type: z.unknown().optional(),
  test: z.unknown().optional(),
  suite: z.unknown().optional(),
  run: z.record(z.string(), z.unknown()).default({}),
  strict: z.boolean().default(false),
});
const CommandLine = z.object({ args: z.array(z.string()), type: z.unknown().optional() });
const Cell = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const Matrix = z.object({
  axes: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()]))),
  include: z.array(Cell).default([]),
  exclude: z.array(Cell).default([]),
  max: z.number().default(256),
});

const refused = ({ error: { code, variable } }: { error: { code: string; variable: string | null } }) => ({
  error: { code, variable },
});

export const variables: Readonly<Record<string, Adapter>> = {
  variable_resolution: adapter(Resolution, ({ type, test, suite, run, strict }) => {
    const parsed = parseVariableConfigs({ type, test, suite });
    if (!parsed.ok) return refused(parsed);
    const resolution = resolveVariables({ ...parsed.configs, run, strict });
    if (!resolution.ok) return refused(resolution);
    const { resolved, ignored } = resolution;
    return ignored.length > 0 ? { ...resolved, ignored } : resolved;
  }),
  cli_variables: adapter(CommandLine, ({ args, type }) => {
    const parsed = parseVariableConfigs({ type, test: null, suite: null });
    if (!parsed.ok) return refused(parsed);
    const assigned = parseAssignments(args);
    if (!assigned.ok) return refused(assigned);
    const converted = convertAssignments(assigned.assignments, parsed.configs.type);
    return converted.ok ? { variables: converted.variables } : refused(converted);
  }),
  matrix: adapter(Matrix, (input) => {
    const matrix = expandMatrix(input);
    return matrix.ok ? { cells: matrix.cells, keys: matrix.keys } : { error: matrix.error };
  }),
};
