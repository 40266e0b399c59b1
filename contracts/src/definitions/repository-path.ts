import { z } from 'zod';
import { refusal } from './texts.ts';

const forbiddenCharacters = /[\\%~\p{Cc}]/u;

/** Why a path cannot name a file of the repository, or undefined. Only plain relative paths with `/` are accepted. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'must be relative to the root of the repository';
  if (forbiddenCharacters.test(path)) return 'must not contain a backslash, `~`, `%` or a control character';
  const segments = path.split('/');
  if (segments.includes('..')) return 'must stay inside the repository';
  if (segments.some((segment) => segment.startsWith('.'))) return 'must not name hidden files or folders';
  if (segments.includes('')) return 'must not contain an empty folder name';
  return undefined;
}

/** Path of a file from the root of the repository. */
export const RepositoryFile = z.string().superRefine((path, context) => {
  const problem = pathProblem(path);
  if (problem === undefined) return;
  const { error, params } = refusal('invalid_format', `the path ${problem}`);
  context.addIssue({ code: 'custom', message: error, params });
});

export type ResolvedPath = { ok: true; path: string } | { ok: false; message: string };

/** The path from the root that a reference in `fromFile` means; `../` may climb, but not out of the repository. */
export function resolveReference(fromFile: string, reference: string): ResolvedPath {
  const segments = fromFile.split('/').slice(0, -1);
  const rest = reference.split('/').filter((segment) => segment !== '.');
  while (rest[0] === '..') {
    rest.shift();
    if (segments.pop() === undefined) return { ok: false, message: 'must stay inside the repository' };
  }
  const problem = pathProblem(rest.join('/'));
  if (problem !== undefined) return { ok: false, message: problem };
  return { ok: true, path: [...segments, ...rest].join('/') };
}

/** `hours` for `evals/hours.suite.yaml`: what derived case names start with. */
export function fileStem(path: string): string {
  const file = path.split('/').at(-1) ?? path;
  return file.replace(/(?:\.(?:suite|agent|case|type))?\.(?:ya?ml|json)$/i, '');
}
