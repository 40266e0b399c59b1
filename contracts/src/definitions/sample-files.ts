import { loadDefinitions } from './load-definitions.ts';
import type { LoadResult } from './loaded.ts';
import type { Problem } from './problem.ts';

export type Files = Record<string, string | Uint8Array>;

/** Loads a repository that consists of these files: suites by their ending, the project file by its name. */
export function loadFiles(files: Files): LoadResult {
  return loadDefinitions({
    suitePaths: Object.keys(files).filter((path) => /\.suite\.(?:ya?ml|json)$/.test(path)),
    ...(Object.hasOwn(files, 'proofmark.yaml') ? { projectPath: 'proofmark.yaml' } : {}),
    read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
    glob: (pattern) => Object.keys(files).filter((path) => path.endsWith(pattern.replace(/^.*\*/, ''))),
    exists: (path) => Object.hasOwn(files, path),
  });
}

export const scriptedAgent = 'agent: { name: Echo, driver: { type: scripted, replies: [{ reply: hello }] } }';

/** A suite with a scripted agent, and these lines below its name. */
export const suiteOf = (body: string): string => `name: Sample\n${scriptedAgent}\n${body}\n`;

/** The problems of one suite file; every other file of the repository is given beside it. */
export const problemsOf = (text: string | Uint8Array, others: Files = {}): Problem[] =>
  loadFiles({ ...others, 'evals/sample.suite.yaml': text }).problems;

/** Problems as one line each, the way they are read aloud: place, code, path. */
export const brief = (problems: readonly Problem[]): string[] =>
  problems.map(({ severity, line, code, path }) =>
    `${severity === 'warning' ? 'warning ' : ''}${line} ${code} ${path}`.trimEnd(),
  );

export const okCase =
  '  - { name: Greets, input: hi, expected_behavior: { checks: [{ type: contains_phrases, phrases: [hello] }] } }';

/** A project file with two models to choose from. */
export const projectOfTwo =
  'ai_configurations:\n  gpt-4o: { provider: openai, model: gpt-4o }\n  llama: { provider: openai, model: llama-3.1 }\n';
