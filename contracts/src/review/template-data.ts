import { didYouMean } from '../definitions/near-match.ts';
import type { Finding } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';

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
