import type { Finding } from '../parse/finding.ts';
import { didYouMean } from '../parse/near-match.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';

const operators = ['$from', '$concat'] as const;
const roots = ['args', 'state', 'previous', 'variables', 'call'] as const;

/** Misspelt `{ $from: … }` and `{ $concat: [ … ] }` in canned answers: the agent would get them as they are written. */
export function answerFindings(value: unknown, path: Path): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => answerFindings(item, [...path, index]));
  if (!isMapping(value)) return [];
  const keys = Object.keys(value);
  return keys.flatMap((key) => {
    const here = [...path, key];
    if (keys.length > 1 || !key.startsWith('$')) return answerFindings(value[key], here);
    if (key === '$from') return fromFindings(value[key], here);
    if (key === '$concat') return concatFindings(value[key], here);
    const near = didYouMean(key, operators);
    // Data of a team may have such keys: only what looks like one of ours is refused.
    if (near === '') return answerFindings(value[key], here);
    const message = `unknown template \`${key}\`${near}`;
    return [{ path: here, code: 'unknown_field', message, at: 'key' }];
  });
}

/** The path of `{ $from: … }`: it must start at something that there is. */
export function fromFindings(value: unknown, path: Path): Finding[] {
  if (typeof value !== 'string') return [{ path, code: 'invalid_type', message: '`$from` must be a path as text' }];
  const root = /^[^.[\]]*/.exec(value)?.[0] ?? '';
  if (roots.some((name) => name === root)) return [];
  const message = `\`$from\` must start with ${roots.join(', ')}${didYouMean(root, roots)}`;
  return [{ path, code: 'invalid_value', message }];
}

function concatFindings(value: unknown, path: Path): Finding[] {
  if (!Array.isArray(value)) return [{ path, code: 'invalid_type', message: '`$concat` must be a list' }];
  return answerFindings(value, path);
}
