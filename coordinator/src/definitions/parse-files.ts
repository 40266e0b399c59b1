import { type LoadedWithAgents, loadWithAgents } from '@proofmark/contracts/load-agents';
import type { DefinitionSource, LoadResult } from '@proofmark/contracts/loaded';
import { matchesPattern } from '@proofmark/contracts/path-pattern';

export interface SentFiles {
  files: readonly { path: string; text: string }[];
  suitePaths: readonly string[];
  projectPath: string | null;
  /** Agents that are wanted for themselves. */
  agentPaths?: readonly string[];
}

/** The definitions in these files, as if they lay in a directory; nothing else is read. */
export function parseFiles(sent: SentFiles): LoadedWithAgents {
  return parseWith(sent, (path) => path, []);
}

/** Texts of files of a commit that were read so far. */
export interface CommittedTexts extends SentFiles {
  /** Other files of the commit that a pattern may fit. */
  present: readonly string[];
  /** What cannot be read, whoever asks for it. */
  absent: readonly string[];
}

/** Files that the definitions ask for and that nobody has read yet; the definitions where there are none. */
export type ReadSoFar = { missing: string[]; loaded: null } | { missing: []; loaded: LoadResult };

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
