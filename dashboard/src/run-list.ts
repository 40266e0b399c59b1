import { RunList, type RunSummary } from './answers.ts';
import { ask } from './ask.ts';
import { element, link } from './element.ts';
import type { Page } from './page.ts';
import { countsText, runWord } from './words.ts';

/** The last runs, newest first, and a button for older ones. */
export async function showRunList(page: Page): Promise<void> {
  page.say('Loading the runs…');
  const rows = element('ul', { className: 'rows' });
  const older = element('button', { type: 'button' }, 'Older runs');
  const load = async (after: string | null): Promise<boolean> => {
    const asked = await ask(RunList, { query: 'runs', variables: { after } });
    if (!asked.ok) {
      if (asked.isUnauthenticated) page.askForToken(asked.message);
      page.say(asked.isUnauthenticated ? '' : asked.message);
      return false;
    }
    const { edges, pageInfo } = asked.answer.runs;
    rows.append(...edges.map(({ node }) => row(node)));
    older.hidden = !pageInfo.hasNextPage;
    older.onclick = () => void load(pageInfo.endCursor);
    page.say('');
    return true;
  };
  if (!(await load(null))) return;
  const list = rows.childElementCount === 0 ? noRuns() : element('div', { className: 'card' }, rows, older);
  page.show('Runs', element('h1', {}, 'Runs'), list);
}

/** What an empty page is for, instead of an empty box. */
function noRuns(): HTMLElement {
  return element(
    'div',
    { className: 'card' },
    element('p', {}, 'There are no runs yet.'),
    element(
      'p',
      { className: 'quiet' },
      'One appears here as soon as a pull request is checked, or when somebody types ',
      element('code', {}, `proofmark run --coordinator ${location.origin}`),
      '.',
    ),
  );
}

function row(run: RunSummary): HTMLElement {
  const word = runWord(run);
  return element(
    'li',
    { className: 'run-row' },
    element('span', { className: `mark ${word.tone}` }, word.text),
    element(
      'div',
      { className: 'what' },
      link(nameOf(run), `/runs/${run.id}`),
      element('div', { className: 'quiet' }, countsText(run)),
    ),
    element('span', { className: 'quiet' }, new Date(run.createdAt).toLocaleString()),
  );
}

/** What a person calls a run: its pull request or commit, else who started it. */
export function nameOf({ repository, pullRequest, headSha, triggeredBy, createdBy }: RunSummary): string {
  const what = [pullRequest === null ? null : `#${pullRequest}`, headSha === null ? null : headSha.slice(0, 7)].filter(
    (part) => part !== null,
  );
  if (repository !== null && what.length > 0) return `${repository} ${what.join(' at ')}`;
  return `${repository ?? triggeredBy.toLowerCase()} by ${createdBy}`;
}
