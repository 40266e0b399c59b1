import type { VariableDefinition } from '../definitions/test-type.ts';
import type { KnownType } from '../load/load-context.ts';
import type { Finding } from '../parse/finding.ts';

/** The variables of a test type that suites can be checked against, although some of them may have an error. */
export interface UsableVariables {
  /** All of them; a wrong one only lends its name. */
  all: readonly VariableDefinition[];
  wrong: ReadonlySet<string>;
}

/** Undefined when nothing can be told: then no name is known to be wrong. */
export function usableVariables(
  known: Pick<KnownType, 'type' | 'wrongVariables'> | undefined,
): UsableVariables | undefined {
  const wrong = known?.wrongVariables;
  if (known === undefined || wrong === undefined) return undefined;
  const right = known.type.variables_schema.variables.filter(({ name }) => !wrong.has(name));
  const standIns = [...wrong].map(
    (name): VariableDefinition => ({
      name,
      dataType: 'string',
      valueSource: 'freeform',
      required: false,
    }),
  );
  return { all: [...right, ...standIns], wrong };
}

/** Without what was found about the values of variables that have an error themselves. */
export const withoutWrong = (findings: readonly Finding[], { wrong }: UsableVariables): Finding[] =>
  findings.filter(({ path }) => !path.some((segment) => typeof segment === 'string' && wrong.has(segment)));
