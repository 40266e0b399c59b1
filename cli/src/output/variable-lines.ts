import type { Suite } from '@proofmark/contracts/suite';
import type { PossibleValue, TestType, TestVariableOverride, VariableDefinition } from '@proofmark/contracts/test-type';
import { table } from './table.ts';
import { plain } from './terminal.ts';

/** What can be varied in a suite: a row per variable of its type, and below what suite and cases make of it. */
export function variableLines({ variables_schema }: TestType, suite: Suite): string {
  const rows = variables_schema.variables.map(variableRow);
  if (rows.length === 0) return '  no variables\n';
  const header = ['VARIABLE', 'TYPE', 'DEFAULT', 'ALLOWED', ''];
  return `\n${table([header, ...rows], '  ')}${suiteLines(suite)}${suite.cases.flatMap(caseLines).join('')}`;
}

function variableRow({ name, displayName, dataType, required, description, ...rest }: VariableDefinition): string[] {
  const words = [displayName === undefined || displayName === name ? '' : displayName, description ?? ''];
  return [
    plain(name),
    `${dataType}${required ? ', required' : ''}`,
    rest.defaultValue === undefined ? '-' : plain(String(rest.defaultValue)),
    allowed(rest),
    plain(words.filter((word) => word !== '').join(': ')),
  ];
}

function allowed({ valueSource, possibleValues }: Pick<VariableDefinition, 'valueSource' | 'possibleValues'>): string {
  if (valueSource === 'freeform' || possibleValues === undefined) return 'any';
  return possibleValues.map(labelled).join(', ');
}

/** `gpt-4o (GPT-4o)`; the label is the value itself when it has none. */
function labelled({ value, label }: PossibleValue): string {
  const text = plain(String(value));
  return label === undefined || label === text ? text : `${text} (${plain(label)})`;
}

function suiteLines({ variables, matrix }: Suite): string {
  const values = Object.entries(variables).map(
    ([name, value]) => `  suite sets ${plain(name)} = ${plain(String(value))}\n`,
  );
  const axes = Object.entries(matrix).map(
    ([name, axis]) => `  suite varies ${plain(name)}: ${plain(axis.join(', '))}\n`,
  );
  return [...values, ...axes].join('');
}

function caseLines({ name, variables }: Suite['cases'][number]): string[] {
  return Object.entries(variables ?? {}).map(
    ([variable, override]) => `  case ${plain(name)}: ${plain(variable)} ${overrideWords(override).join(', ')}\n`,
  );
}

function overrideWords({ exposed, defaultValue, locked, restrictedValues }: TestVariableOverride): string[] {
  const words: string[] = [];
  if (exposed === false) words.push('hidden');
  if (locked === true) words.push('locked');
  if (defaultValue !== undefined) words.push(`default ${plain(String(defaultValue))}`);
  if (restrictedValues !== undefined) words.push(`only ${plain(restrictedValues.join(', '))}`);
  return words.length === 0 ? ['as its type says'] : words;
}
