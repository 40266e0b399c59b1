import { didYouMean } from '../definitions/near-match.ts';
import { isMapped } from '../definitions/service-presets.ts';
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

/** What a message of a conversation with a service can take up. */
const roots = [
  ...['input', 'session', 'turn', 'history', 'messages', 'ui_messages', 'message_id', 'conversation_id', 'seed'],
  ...['variables', 'instructions', 'tools', 'files'],
];
/** A service that speaks our protocol gets all else in the body. */
const plainRoots = ['conversation_id', 'variables'];

/** Misspelt places in what is sent to a service: every turn would fail, or the service would be asked in our words. */
export function serviceFindings(
  { agent, broken }: LoadedAgent,
  variables: readonly VariableDefinition[] | undefined,
): Finding[] {
  const { driver } = agent;
  if (broken.has('driver') || driver.type !== 'http') return [];
  const known = isMapped(driver) ? roots : plainRoots;
  const { mapping, headers, query, body, poll } = driver;
  const session = typeof mapping?.session === 'object' ? mapping.session : undefined;
  const names = variables?.map(({ name }) => name);
  const sent: [Path, unknown, Roots][] = [
    [['mapping', 'request'], mapping?.request, known],
    [['mapping', 'session', 'create', 'body'], session?.create?.body, known],
    [['headers'], headers, known],
    [['query'], query, known],
    [['body'], body, known],
    [['poll', 'body'], poll?.body, [...known, 'start']],
  ];
  const places: [Path, string | undefined, Roots][] = [
    [['url'], driver.url, known],
    [['mapping', 'session', 'create', 'url'], session?.create?.url, known],
    [['poll', 'url'], poll?.url, [...known, 'start']],
    [['poll', 'result'], poll?.result, [...known, 'start']],
  ];
  return [
    ...sent.flatMap(([path, value, from]) => [
      ...answerFindings(value, ['driver', ...path], from),
      ...(names === undefined ? [] : variableFindings(value, ['driver', ...path], names)),
    ]),
    ...places.flatMap(([path, place, from]) => slotFindings(place ?? '', ['driver', ...path], from)),
  ];
}

/** The places in braces of an address. */
const slotFindings = (place: string, path: Path, from: Roots): Finding[] =>
  [...place.matchAll(/\{([^{}]+)\}/g)].flatMap(([, slot = '']) => {
    const root = /^[^.[\]]*/.exec(slot)?.[0] ?? '';
    if (from.includes(root)) return [];
    const message = `\`{${slot}}\` must start with ${from.join(', ')}${didYouMean(root, from)}`;
    return [{ path, code: 'invalid_value' as const, message }];
  });

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
