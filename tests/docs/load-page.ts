import { loadDefinitions } from '@proofmark/contracts/load-definitions';
import { fencedBlocks, type Page, pages } from './pages.ts';

/** How the first line of an example names its file. */
const marks: ReadonlyMap<string, RegExp> = new Map([
  ['yaml', /^# (\S+\.ya?ml)\n/],
  ['ts', /^\/\/ (\S+\.ts)\n/],
  ['python', /^# (\S+\.py)\n/],
]);

/** The examples of a page that say which file they are, in a comment on their first line or behind the language. */
export function filesOf(page: Page): Map<string, string> {
  const named = fencedBlocks(page).flatMap(({ language, text, path: shown }) => {
    const path = shown ?? marks.get(language)?.exec(text)?.[1];
    return path === undefined ? [] : [[path, text] as const];
  });
  return new Map(named);
}

/** The README leaves its agent to what `proofmark init` writes; every other page shows all that its examples name. */
const agentOfInit = 'name: Agent of init\ninstructions: Answer.\ndriver: { type: scripted, replies: [{ reply: x }] }\n';

const reference = ['suite-file', 'project-file', 'agent-file', 'case', 'checks', 'metrics', 'mocks', 'judge-quality'];

/** The pages about the files that people write describe one repository together: an example may name a file that another one shows. */
export const filesOfReference: ReadonlyMap<string, string> = new Map(
  pages
    .filter(({ path }) => reference.some((name) => path === `docs/${name}.md`))
    .flatMap((page) => [...filesOf(page)]),
);
const isReference = (page: Page): boolean => reference.some((name) => page.path === `docs/${name}.md`);

/** Loads the examples of a page as the repository that they describe together. */
export function loadPage(page: Page) {
  const own = filesOf(page);
  const files = isReference(page) ? filesOfReference : own;
  const isReadme = page.path === 'README.md';
  const matching = (pattern: string) =>
    [...files.keys()].filter((path) => path.endsWith(pattern.split('*').at(-1) ?? ''));
  return loadDefinitions({
    suitePaths: matching('*.suite.yaml').filter((path) => own.has(path)),
    ...(files.has('proofmark.yaml') ? { projectPath: 'proofmark.yaml' } : {}),
    read: (path) => {
      const text = files.get(path) ?? (isReadme && path.endsWith('.agent.yaml') ? agentOfInit : undefined);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    glob: matching,
  });
}
