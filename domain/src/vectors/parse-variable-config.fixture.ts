import { parseJson } from '@proofmark/contracts/parse-json';
import type { VariableError, VariableOverride, VariableRule, VariableRules } from '../variables/variable-rules.ts';

interface VariableConfigs {
  type: VariableRules | null;
  test: Record<string, VariableOverride> | null;
  suite: Record<string, unknown> | null;
}

export type ParsedConfigs = { ok: true; configs: VariableConfigs } | { ok: false; error: VariableError };

/**
 * The variable documents of seed 004 (objects, JSON text or null) in the shape that `resolveVariables` takes. Anything that
 * is not such a document is an error: treating it as absent would unlock locked variables. Values are left to the resolver.
 */
export function parseVariableConfigs(documents: { type: unknown; test: unknown; suite: unknown }): ParsedConfigs {
  const type = readDocument(documents.type, isTypeDocument);
  if (type === undefined) return refused('type');
  const test = readDocument(documents.test, isTestDocument);
  if (test === undefined) return refused('test');
  const suite = readDocument(documents.suite, isSuiteDocument);
  if (suite === undefined) return refused('suite');
  return { ok: true, configs: { type, test: test?.variables ?? null, suite: suite?.variables ?? null } };
}

const refused = (level: string): ParsedConfigs => ({
  ok: false,
  error: {
    code: 'parse_error',
    variable: null,
    message: `The variables of the ${level} cannot be read: ${expectations[level]}`,
  },
});

const expectations: Record<string, string> = {
  type: "expected an object with schemaVersion '1.0' and a list of variables, each with name, dataType, valueSource and required",
  test: 'expected an object whose key variables maps names to overrides',
  suite: 'expected an object whose key variables maps names to values',
};

function readDocument<Document>(
  value: unknown,
  fits: (value: unknown) => value is Document,
): Document | null | undefined {
  const parsed = typeof value === 'string' ? parseJson(value) : (value ?? null);
  return parsed === null || fits(parsed) ? parsed : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTypeDocument(value: unknown): value is VariableRules {
  return (
    isRecord(value) && value.schemaVersion === '1.0' && Array.isArray(value.variables) && value.variables.every(isRule)
  );
}

const dataTypes: unknown[] = ['string', 'number', 'boolean', 'date'] satisfies VariableRule['dataType'][];
const valueSources: unknown[] = ['static', 'freeform', 'entity'] satisfies VariableRule['valueSource'][];

function isRule(value: unknown): value is VariableRule {
  if (!isRecord(value) || typeof value.name !== 'string' || typeof value.required !== 'boolean') return false;
  const possible = value.possibleValues;
  const listed = possible === undefined || (Array.isArray(possible) && possible.every(isRecord));
  const { dependsOn } = value;
  const dependency = dependsOn === undefined || isDependency(dependsOn);
  return listed && dependency && dataTypes.includes(value.dataType) && valueSources.includes(value.valueSource);
}

function isDependency(value: unknown): value is VariableRule['dependsOn'] {
  if (!isRecord(value) || typeof value.variable !== 'string') return false;
  return isRecord(value.allowed) && Object.values(value.allowed).every(Array.isArray);
}

function isTestDocument(value: unknown): value is { variables?: Record<string, VariableOverride> } {
  if (!isRecord(value)) return false;
  return (
    value.variables === undefined || (isRecord(value.variables) && Object.values(value.variables).every(isOverride))
  );
}

function isOverride(value: unknown): value is VariableOverride {
  if (!isRecord(value)) return false;
  const flags = [value.exposed, value.locked].every((flag) => flag === undefined || typeof flag === 'boolean');
  return flags && (value.restrictedValues === undefined || Array.isArray(value.restrictedValues));
}

function isSuiteDocument(value: unknown): value is { variables?: Record<string, unknown> } {
  return isRecord(value) && (value.variables === undefined || isRecord(value.variables));
}
