import type { VariableSource } from '@proofmark/contracts/variables';
import { allowedValues } from './check-value.ts';
import type { VariableOverride, VariableRule } from './variable-rules.ts';

/** A variable's definition with what is shown to people; a `VariableDefinition` fits as it is. */
export interface NamedVariable extends VariableRule {
  displayName?: string | undefined;
  description?: string | undefined;
  possibleValues?:
    | readonly { value: unknown; label?: string | undefined; description?: string | undefined }[]
    | undefined;
}

export interface DescribedValue {
  value: unknown;
  /** The value as text when it has no label of its own (S4-17). */
  label: string;
  description: string | null;
}

/** What somebody needs to know to set a variable of one test. */
export interface DescribedVariable {
  name: string;
  displayName: string;
  description: string | null;
  dataType: VariableRule['dataType'];
  required: boolean;
  locked: boolean;
  /** What counts when neither suite nor run says anything; undefined: nothing. */
  defaultValue: unknown;
  defaultSource: Extract<VariableSource, 'test' | 'type'> | null;
  /** Null: any value of the data type. */
  allowed: DescribedValue[] | null;
}

export interface DescribeInput {
  type: { variables: readonly NamedVariable[] } | null;
  test: Readonly<Record<string, VariableOverride>> | null;
  entityValues?: readonly string[];
}

/** The variables of one test in the order of its type, those it does not expose left out. */
export function describeVariables({ type, test, entityValues }: DescribeInput): DescribedVariable[] {
  return (type?.variables ?? []).flatMap((rule) => {
    const override = test && Object.hasOwn(test, rule.name) ? test[rule.name] : undefined;
    return override?.exposed === false ? [] : [describe(rule, override, entityValues)];
  });
}

function describe(
  rule: NamedVariable,
  override: VariableOverride | undefined,
  entityValues: readonly string[] | undefined,
): DescribedVariable {
  const ofTest = override?.defaultValue != null;
  const ofType = rule.defaultValue != null;
  const allowed = allowedValues({ rule, override, entityValues });
  return {
    name: rule.name,
    displayName: rule.displayName ?? rule.name,
    description: rule.description ?? null,
    dataType: rule.dataType,
    required: rule.required,
    locked: override?.locked ?? false,
    defaultValue: (ofTest ? override?.defaultValue : rule.defaultValue) ?? undefined,
    defaultSource: ofTest ? 'test' : ofType ? 'type' : null,
    allowed: allowed?.map((value) => describeValue(rule, value)) ?? null,
  };
}

function describeValue(rule: NamedVariable, value: unknown): DescribedValue {
  const possible = rule.possibleValues?.find((candidate) => candidate.value === value);
  return { value, label: possible?.label ?? String(value), description: possible?.description ?? null };
}
