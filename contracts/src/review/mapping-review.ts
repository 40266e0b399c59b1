import { didYouMean } from '../definitions/near-match.ts';
import type { VariableDefinition } from '../definitions/test-type.ts';
import type { Finding } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';
import type { LoadedAgent } from './suite-review.ts';
import { answerFindings } from './template-data.ts';

/** What the request to a service can take up. */
const roots = [
  ...['input', 'session', 'turn', 'history', 'conversation_id', 'seed', 'variables', 'instructions', 'tools', 'files'],
];

/** Misspelt places in the request to a mapped service: every turn would fail, or the service would be asked in our words. */
export function mappingFindings(
  { agent, broken }: LoadedAgent,
  variables: readonly VariableDefinition[] | undefined,
): Finding[] {
  const { driver } = agent;
  if (broken.has('driver') || driver.type !== 'http' || driver.mapping === undefined) return [];
  const { request } = driver.mapping;
  const path = ['driver', 'mapping', 'request'];
  const names = variables?.map(({ name }) => name);
  return [
    ...answerFindings(request, path, roots),
    ...(names === undefined ? [] : variableFindings(request, path, names)),
  ];
}

/** Values of variables that the test type does not have. */
function variableFindings(value: unknown, path: Path, names: readonly string[]): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => variableFindings(item, [...path, index], names));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, item]): Finding[] => {
    const here = [...path, key];
    const name = key === '$from' && typeof item === 'string' ? /^variables\.([^.[\]]+)/.exec(item)?.[1] : undefined;
    if (name === undefined) return variableFindings(item, here, names);
    if (names.includes(name)) return [];
    const message = `there is no variable \`${name}\`${didYouMean(name, names)}`;
    return [{ path: here, code: 'unknown_variable', message, hint: 'Declare the variable in the test type.' }];
  });
}
