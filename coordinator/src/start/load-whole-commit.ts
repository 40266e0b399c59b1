import { createHash } from 'node:crypto';
import type { FileContent } from '@proofmark/contracts/file-content';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import type { CommittedFiles } from '../feedback/feedback-port.ts';
import { projectNames, readAll, readDefinitions, suitesIn, upTo } from './load-committed.ts';

/** Everything at a commit that a run of it is made from. */
export interface WholeCommit {
  definitions: LoadedDefinitions;
  files: { path: string; text: string }[];
  suitePaths: string[];
  projectPath: string | null;
  /** What is in the local files of the cases. */
  caseFiles: (FileContent & { content: Buffer })[];
}

const mostSuites = 500;
const mostCaseFiles = 100;
const mostCaseBytes = 64 * 1024 * 1024;

type LoadedCommit = { ok: true; whole: WholeCommit } | { ok: false; problem: Problem };

/** The suites of a commit with all that they name, found as a job would find them. */
export async function loadWholeCommit(files: CommittedFiles): Promise<LoadedCommit> {
  const projectPath = projectNames.find((name) => files.paths.has(name)) ?? null;
  const project = await readDefinitions(files, { suitePaths: [], projectPath });
  if (!project.ok) return project;
  const found = await suitesIn(files, project.loaded.definitions.project.suites);
  return await loadSuites(files, { suitePaths: found.slice(0, mostSuites), projectPath });
}

/** These suites of a commit with all that they name. */
export async function loadSuites(
  files: CommittedFiles,
  { suitePaths, projectPath }: Pick<WholeCommit, 'suitePaths' | 'projectPath'>,
): Promise<LoadedCommit> {
  const read = await readDefinitions(files, { suitePaths, projectPath });
  if (!read.ok) return read;
  const { definitions } = read.loaded;
  return {
    ok: true,
    whole: {
      definitions,
      files: Array.from(read.texts, ([path, text]) => ({ path, text })),
      suitePaths,
      projectPath,
      caseFiles: await caseFilesOf(files, definitions),
    },
  };
}

async function caseFilesOf(files: CommittedFiles, { suites }: LoadedDefinitions): Promise<WholeCommit['caseFiles']> {
  const named = suites.flatMap(({ suite }) =>
    suite.cases.flatMap((one) => one.files.flatMap(({ path }) => path ?? [])),
  );
  const present = [...new Set(named)].filter((path) => files.paths.has(path));
  const wanted = upTo(files, present.slice(0, mostCaseFiles), mostCaseBytes);
  const contents = await readAll(files, wanted);
  return contents.map(([path, content]) => ({
    path,
    sha256: createHash('sha256').update(content).digest('hex'),
    content,
  }));
}
