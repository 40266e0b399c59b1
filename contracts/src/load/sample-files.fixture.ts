import type { LoadResult } from '../definitions/loaded.ts';
import type { Problem } from '../definitions/problem.ts';
import { loadDefinitions } from './load-definitions.ts';

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

/** Two models that suites may name. */
export const project = `ai_configurations:
  gpt-4o: { provider: openai, model: gpt-4o, api_key_env: KEY }
  llama: { provider: openai, model: llama-3.1 }
`;

/** A suite whose agent has a model and a tool, with these lines below. */
export const openai = (body: string): string =>
  `name: S\nagent: { name: a, instructions: Be kind, ai_configuration: gpt-4o, tools: [{ name: refund }] }\n${body}\n`;

/** The same with a judge and these cases. */
export const judged = (cases: string): string => openai(`judge: { ai_configuration: llama }\ncases:\n${cases}`);

/** What is found in a suite file, briefly. */
export const review = (text: string, others: Files = {}): string[] =>
  brief(problemsOf(text, { 'proofmark.yaml': project, ...others }));

/** What is found in a suite file, as it is said. */
export const messages = (text: string, others: Files = {}): string =>
  problemsOf(text, { 'proofmark.yaml': project, ...others })
    .map(({ message }) => message)
    .join('\n');
