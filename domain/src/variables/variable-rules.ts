/** The part of a type's variable definition that decides about values; a `VariableDefinition` fits as it is. */
export interface VariableRule {
  name: string;
  dataType: 'string' | 'number' | 'boolean' | 'date';
  valueSource: 'static' | 'freeform' | 'entity';
  possibleValues?: readonly { value: unknown }[] | undefined;
  defaultValue?: unknown;
  required: boolean;
  /** Which values go with which value of another variable; a value of that one that is not listed allows all. */
  dependsOn?: { variable: string; allowed: Readonly<Record<string, readonly unknown[]>> } | undefined;
}

/** What one test makes of a variable of its type; a `TestVariableOverride` fits as it is. */
export interface VariableOverride {
  exposed?: boolean | undefined;
  defaultValue?: unknown;
  locked?: boolean | undefined;
  restrictedValues?: readonly unknown[] | undefined;
}

export interface VariableRules {
  variables: readonly VariableRule[];
}

export type VariableErrorCode =
  | 'missing_required'
  | 'invalid_type'
  | 'invalid_value'
  | 'parse_error'
  | 'unknown_variable';

export interface VariableError {
  code: VariableErrorCode;
  /** Null when the fault is not one variable's, such as text that is not JSON. */
  variable: string | null;
  message: string;
  /** What was probably meant; absent when nothing is near. */
  hint?: string;
}
