import type { VariableValue } from '@proofmark/contracts/variables';
import { sameValue } from './check-value.ts';
import type { VariableError, VariableRule } from './variable-rules.ts';

/** The first variable (in the type's order) whose value does not go with the value of the one it depends on. */
export function checkDependencies(
  rules: readonly VariableRule[],
  values: ReadonlyMap<string, VariableValue>,
): VariableError | undefined {
  for (const { name, dataType, dependsOn } of rules) {
    const value = values.get(name);
    const other = dependsOn && values.get(dependsOn.variable);
    if (value === undefined || other === undefined || dependsOn === undefined) continue;
    const allowed = Object.hasOwn(dependsOn.allowed, String(other)) ? dependsOn.allowed[String(other)] : undefined;
    if (allowed === undefined || allowed.some((candidate) => sameValue(dataType, candidate, value))) continue;
    const list = allowed.length === 0 ? 'none' : allowed.map(String).join(', ');
    const message = `Variable '${name}' value '${value}' does not go with '${dependsOn.variable}' value '${other}'; allowed values: ${list}`;
    return { code: 'invalid_value', variable: name, message };
  }
  return undefined;
}
