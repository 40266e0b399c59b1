import { didYouMean } from '../definitions/near-match.ts';
import type { VariableDefinition } from '../definitions/test-type.ts';
import type { VariableValue } from '../definitions/variables.ts';
import type { Finding } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';

type Raw = Record<string, unknown>;

/** A variable of a type, as far as it can be read, and where it stands. */
interface Named {
  name: string;
  raw: Raw;
  path: Path;
}

/** Dependencies between the variables of one type: unknown names, circles, values that can never be. */
export function dependencyFindings(variables: readonly unknown[], base: Path): Finding[] {
  const named = variables.flatMap((raw, index): Named[] =>
    isMapping(raw) && typeof raw.name === 'string'
      ? [{ name: raw.name, raw, path: [...base, index, 'dependsOn'] }]
      : [],
  );
  const parents = new Map(
    named.flatMap(({ name, raw }) =>
      isMapping(raw.dependsOn) ? [[name, String(raw.dependsOn.variable)] as const] : [],
    ),
  );
  return named.flatMap(({ name, raw, path }): Finding[] => {
    const parentName = parents.get(name);
    if (parentName === undefined) return [];
    const parent = named.find((other) => other.name === parentName);
    if (parent === undefined) {
      const names = named.map((other) => other.name);
      const message = `there is no variable \`${parentName}\`${didYouMean(parentName, names)}`;
      return [{ path: [...path, 'variable'], code: 'unknown_variable', message }];
    }
    if (leadsTo(name, parents)) {
      const message = `\`${name}\` depends on itself by way of \`${parentName}\``;
      return [{ path: [...path, 'variable'], code: 'invalid_value', message }];
    }
    return combinationFindings(raw, parent, path);
  });
}

function leadsTo(start: string, parents: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>();
  for (let name = parents.get(start); name !== undefined && !seen.has(name); name = parents.get(name)) {
    if (name === start) return true;
    seen.add(name);
  }
  return false;
}

function combinationFindings(raw: Raw, parent: Named, path: Path): Finding[] {
  const allowed = isMapping(raw.dependsOn) ? raw.dependsOn.allowed : undefined;
  if (!isMapping(allowed)) return [];
  const ownValues = listedValues(raw);
  const parentValues = listedValues(parent.raw)?.map(String);
  return Object.entries(allowed).flatMap(([key, values]) => [
    ...(parentValues === undefined || parentValues.includes(key)
      ? []
      : [unlisted(key, parent.name, parentValues, [...path, 'allowed', key])]),
    ...(Array.isArray(values) ? values : []).flatMap((value: unknown, index) =>
      ownValues === undefined || ownValues.includes(value)
        ? []
        : [unlisted(String(value), String(raw.name), ownValues.map(String), [...path, 'allowed', key, index])],
    ),
  ]);
}

/** The values that a variable lists itself; undefined when it may be anything. */
function listedValues({ valueSource, possibleValues }: Raw): unknown[] | undefined {
  if (valueSource !== 'static' || !Array.isArray(possibleValues)) return undefined;
  return possibleValues.map((entry: unknown) => (isMapping(entry) ? entry.value : undefined));
}

const unlisted = (value: string, variable: string, values: readonly string[], path: Path): Finding => ({
  path,
  code: 'invalid_value',
  message: `\`${value}\` is no value of \`${variable}\`: ${values.join(', ')}${didYouMean(value, values)}`,
});

/** Values of one level that do not go together; the first of each pair that is not given is left to the run. */
export function pairFindings(
  variables: readonly VariableDefinition[],
  values: Readonly<Record<string, VariableValue>>,
  base: Path,
): Finding[] {
  return variables.flatMap(({ name, dependsOn }): Finding[] => {
    if (dependsOn === undefined || !Object.hasOwn(values, name) || !Object.hasOwn(values, dependsOn.variable))
      return [];
    const [value, other] = [values[name], String(values[dependsOn.variable])];
    const allowed = Object.hasOwn(dependsOn.allowed, other) ? dependsOn.allowed[other] : undefined;
    if (value === undefined || allowed === undefined || allowed.includes(value)) return [];
    const message = `\`${name}\` value \`${value}\` does not go with \`${dependsOn.variable}\` value \`${other}\`; allowed: ${allowed.join(', ')}`;
    return [{ path: [...base, name], code: 'invalid_value', message }];
  });
}
