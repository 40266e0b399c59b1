import { loadDefinitions } from '@proofmark/contracts/load-definitions';
import { fencedBlocks, type Page } from './pages.ts';

/** The examples of a page that say which file they are, in a comment on their first line. */
export function filesOf(page: Page): Map<string, string> {
  const named = fencedBlocks(page).flatMap(({ language, text }) => {
    const path = /^# (\S+\.ya?ml)\n/.exec(text)?.[1];
    return language === 'yaml' && path !== undefined ? [[path, text] as const] : [];
  });
  return new Map(named);
}

/** What a page leaves to another one: an agent with the tools that its examples mock. */
const agentElsewhere =
  'name: Agent of another page\ninstructions: Answer.\ndriver: { type: scripted, replies: [{ reply: x }] }\n';

/** Loads the examples of a page as the repository that they describe together. */
export function loadPage(page: Page) {
  const files = filesOf(page);
  const matching = (pattern: string) =>
    [...files.keys()].filter((path) => path.endsWith(pattern.split('*').at(-1) ?? ''));
  return loadDefinitions({
    suitePaths: matching('*.suite.yaml'),
    ...(files.has('proofmark.yaml') ? { projectPath: 'proofmark.yaml' } : {}),
    read: (path) => {
      const text = files.get(path) ?? (path.endsWith('.agent.yaml') ? agentElsewhere : undefined);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    glob: matching,
  });
}
