import { type CassetteEntry, parseCassette } from '../definitions/cassette.ts';
import { noSuchFile } from '../definitions/near-match.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import type { Suite } from '../definitions/suite.ts';
import { type Located, reportAt } from '../parse/source-document.ts';
import type { LoadContext } from '../review/suite-review.ts';

export interface LoadedCassette {
  /** The file, when there is one. */
  dependsOn: readonly string[];
  /** What a loaded suite has of it. */
  part: { cassette?: readonly CassetteEntry[] };
}

const none: LoadedCassette = { dependsOn: [], part: {} };

/** The recorded answers that a suite names; none when it names none, and when they cannot be used, which is reported. */
export function loadCassette(
  { source, problems }: LoadContext,
  located: Located,
  { mock_settings: { cassette } }: Pick<Suite, 'mock_settings'>,
): LoadedCassette {
  if (cassette === undefined) return none;
  const refuse = (code: 'invalid_format' | 'not_found' | 'limit', message: string): LoadedCassette => {
    reportAt(problems, located, [{ path: ['mock_settings', 'cassette'], code, message }]);
    return none;
  };
  const resolved = resolveReference(located.document.path, cassette);
  if (!resolved.ok) return refuse('invalid_format', `the path ${resolved.message}`);
  const content = source.read(resolved.path);
  if (content === undefined) return refuse('not_found', noSuchFile(resolved.path, source.paths?.()));
  const text = typeof content === 'string' ? content : decoded(content);
  if (text === undefined) return refuse('invalid_format', `\`${resolved.path}\` is not UTF-8`);
  const parsed = parseCassette(text);
  if (parsed.ok) return { dependsOn: [resolved.path], part: { cassette: parsed.entries } };
  const { line, message } = parsed;
  if (line === 0) return refuse('limit', `\`${resolved.path}\` ${message}`);
  return refuse('invalid_format', `line ${line} of \`${resolved.path}\` ${message}`);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
