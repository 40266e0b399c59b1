import { loadWithAgents } from '@proofmark/contracts/load-definitions';
import type { DefinitionSource, LoadedWithAgents } from '@proofmark/contracts/loaded';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import type { CommittedTexts, ReadSoFar, SentFiles } from './parse-threads.ts';

/** The definitions in these files, as if they lay in a directory; nothing else is read. */
export function parseFiles(sent: SentFiles): LoadedWithAgents {
  return parseWith(sent, (path) => path, []);
}

export function parseCommitted(texts: CommittedTexts): ReadSoFar {
  const absent = new Set(texts.absent);
  const missing = new Set<string>();
  const note = (path: string): void => {
    if (!absent.has(path)) missing.add(path);
  };
  const loaded = parseWith(texts, note, texts.present);
  return missing.size > 0 ? { missing: [...missing], loaded: null } : { missing: [], loaded };
}

function parseWith(
  { files, suitePaths, projectPath, agentPaths = [] }: SentFiles,
  onMissing: (path: string) => void,
  present: readonly string[],
): LoadedWithAgents {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const paths = new Set([...texts.keys(), ...present]);
  const source: DefinitionSource = {
    suitePaths: [...new Set(suitePaths)].sort(),
    ...(projectPath === null ? {} : { projectPath }),
    // Only runners know what their operator lists.
    allowedOrigins: 'left to runners',
    read: (path) => {
      const text = texts.get(path);
      if (text === undefined) onMissing(path);
      return text;
    },
    glob: (pattern) => [...paths].filter((path) => matchesPattern(path, pattern)).sort(),
  };
  return loadWithAgents(source, agentPaths);
}
