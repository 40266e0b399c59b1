import { didYouMean } from '../definitions/near-match.ts';
import type { VariableDefinition } from '../definitions/test-type.ts';
import type { Finding, Path } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';
import type { LoadedAgent } from './suite-review.ts';

const operators = ['$from', '$concat'] as const;
/** What canned answers can take up. */
const ofMocks = ['args', 'state', 'previous', 'variables', 'call'] as const;
type Roots = readonly string[];

/** Misspelt `{ $from: … }` and `{ $concat: [ … ] }` in canned answers: the agent would get them as they are written. */
export function answerFindings(value: unknown, path: Path, roots: Roots = ofMocks): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => answerFindings(item, [...path, index], roots));
  if (!isMapping(value)) return [];
  const keys = Object.keys(value);
  return keys.flatMap((key) => {
    const here = [...path, key];
    if (keys.length > 1 || !key.startsWith('$')) return answerFindings(value[key], here, roots);
    if (key === '$from') return fromFindings(value[key], here, roots);
    if (key === '$concat') return concatFindings(value[key], here, roots);
    const near = didYouMean(key, operators);
    // Data of a team may have such keys: only what looks like one of ours is refused.
    if (near === '') return answerFindings(value[key], here, roots);
    const message = `unknown template \`${key}\`${near}`;
    return [{ path: here, code: 'unknown_field', message, at: 'key' }];
  });
}

/** The path of `{ $from: … }`: it must start at something that there is. */
export function fromFindings(value: unknown, path: Path, roots: Roots = ofMocks): Finding[] {
  if (typeof value !== 'string') return [{ path, code: 'invalid_type', message: '`$from` must be a path as text' }];
  const root = /^[^.[\]]*/.exec(value)?.[0] ?? '';
  if (roots.some((name) => name === root)) return [];
  const message = `\`$from\` must start with ${roots.join(', ')}${didYouMean(root, roots)}`;
  return [{ path, code: 'invalid_value', message }];
}

function concatFindings(value: unknown, path: Path, roots: Roots): Finding[] {
  if (!Array.isArray(value)) return [{ path, code: 'invalid_type', message: '`$concat` must be a list' }];
  return answerFindings(value, path, roots);
}

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
