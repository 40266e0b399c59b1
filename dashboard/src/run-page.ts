import { RunAnswer, type SuiteRunAnswer, type WholeRun } from './answers.ts';
import { ask } from './ask.ts';
import { element, link } from './element.ts';
import { followRun, isFinal } from './follow-run.ts';
import type { Page } from './page.ts';
import { nameOf } from './run-list.ts';
import { suiteSection } from './suite-section.ts';
import { countsText, runWord } from './words.ts';

/** One run: what it came to, its suites and cases. While it is open the page follows it. */
export async function showRun(page: Page, runId: string, signal: AbortSignal): Promise<void> {
  page.say('Loading the run…');
  const first = await load(page, runId);
  if (first === null) return;
  const drawing = draw(page, first);
  if (isFinal(first.status)) return;

  let finished = 0;
  let refreshing = Promise.resolve();
  const refresh = async (): Promise<void> => {
    const run = signal.aborted ? null : await load(page, runId);
    if (run !== null) drawing.update(run);
  };
  await followRun({
    runId,
    signal,
    onProgress: (progress) => {
      tellProgress(page, progress);
      if (progress.finishedSuiteRuns === finished) return;
      finished = progress.finishedSuiteRuns;
      refreshing = refreshing.then(refresh);
    },
  });
  await refreshing;
  await refresh();
}

async function load(page: Page, runId: string): Promise<WholeRun | null> {
  const asked = await ask(RunAnswer, { query: 'run', variables: { id: runId } });
  if (asked.ok && asked.answer.run !== null) return asked.answer.run;
  if (!asked.ok && asked.isUnauthenticated) {
    page.askForToken(asked.message);
    page.say('');
    return null;
  }
  const message = asked.ok ? 'There is no such run, or this token may not see it.' : asked.message;
  page.show('No run', element('h1', {}, 'No run'), element('p', {}, message), link('All runs', '/'));
  page.say('');
  return null;
}

/** Draws a run. An update replaces only what has changed, so that whatever a reader unfolded stays open. */
function draw(page: Page, run: WholeRun): { update: (run: WholeRun) => void } {
  let head = heading(run);
  const sections = new Map(run.suiteRuns.toSorted(judgedFirst).map((suiteRun) => [suiteRun.id, drawn(suiteRun)]));
  page.show(nameOf(run), head, ...[...sections.values()].map(({ section }) => section));
  page.say('');
  return {
    update: (now) => {
      const newHead = heading(now);
      head.replaceWith(newHead);
      head = newHead;
      for (const suiteRun of now.suiteRuns) {
        const before = sections.get(suiteRun.id);
        const after = drawn(suiteRun);
        if (before?.state === after.state) continue;
        if (before === undefined) document.getElementById('content')?.append(after.section);
        else before.section.replaceWith(after.section);
        sections.set(suiteRun.id, after);
      }
      page.say(isFinal(now.status) ? 'The run has ended.' : '');
    },
  };
}

/** The base side of a comparison explains the verdict; it is not what a reader came for. */
function judgedFirst(a: SuiteRunAnswer, b: SuiteRunAnswer): number {
  return Number(a.variant === 'BASELINE') - Number(b.variant === 'BASELINE');
}

function drawn(suiteRun: SuiteRunAnswer): { state: string; section: HTMLElement } {
  return { state: JSON.stringify([suiteRun.status, suiteRun.verdict]), section: suiteSection(suiteRun) };
}

function tellProgress(page: Page, { totalCases, openCases }: { totalCases: number; openCases: number }): void {
  const bar = document.querySelector('progress');
  if (bar !== null) bar.value = totalCases - openCases;
  page.say(`${totalCases - openCases} of ${totalCases} test runs have ended.`);
}

function heading(run: WholeRun): HTMLElement {
  const word = runWord(run);
  const facts = [
    run.pullRequest === null ? null : link(`Pull request #${run.pullRequest}`, pullRequestUrl(run, run.pullRequest)),
    run.headSha === null ? null : commit('Commit', run, run.headSha),
    run.baseSha === null ? null : commit('Base', run, run.baseSha),
    element('span', {}, `Started ${new Date(run.createdAt).toLocaleString()} by ${run.createdBy}`),
    run.completedAt === null ? null : element('span', {}, `Ended ${new Date(run.completedAt).toLocaleString()}`),
  ].filter((fact) => fact !== null);
  const bar = element('progress', { title: 'Test runs that have ended' });
  bar.max = run.totalCases;
  bar.value = run.totalCases - run.openCases;
  return element(
    'section',
    { className: 'card' },
    element(
      'div',
      { className: 'head' },
      element('h1', {}, nameOf(run)),
      element('span', { className: `mark ${word.tone}` }, word.text),
    ),
    element('p', {}, countsText(run)),
    isFinal(run.status) ? null : bar,
    run.poolsWithoutRunners.length === 0 ? null : element('p', {}, noRunnersText(run)),
    element('ul', { className: 'facts' }, ...facts.map((fact) => element('li', {}, fact))),
  );
}

/** Nobody has to know of pools where there is only the usual one. */
function noRunnersText({ poolsWithoutRunners: pools }: WholeRun): string {
  const isUsual = pools.length === 1 && pools[0] === 'default';
  return `No runners connected${isUsual ? '' : ` to ${pools.join(', ')}`}: its test runs wait until one is.`;
}

function commit(label: string, run: WholeRun, sha: string): HTMLElement {
  return element('span', {}, `${label} `, link(sha.slice(0, 7), commitUrl(run, sha)));
}

const hostName = /^[a-z0-9.-]+(:\d{1,5})?$/i;
const loopback = /^(localhost|127\.0\.0\.1)(:|$)/;
const fullName = /^[\w.-]+\/[\w.-]+$/;
const commitSha = /^[0-9a-f]{7,64}$/;

type Place = { host: string | null; repository: string | null };

/** Where a repository is seen; null when what the run says of it is no such place. */
function repositoryUrl({ host, repository }: Place): string | null {
  if (host === null || repository === null || !hostName.test(host) || !fullName.test(repository)) return null;
  return `${loopback.test(host) ? 'http' : 'https'}://${host}/${repository}`;
}

export function commitUrl(place: Place, sha: string): string | null {
  const url = repositoryUrl(place);
  return url === null || !commitSha.test(sha) ? null : `${url}/commit/${sha}`;
}

export function pullRequestUrl(place: Place, number: number): string | null {
  const url = repositoryUrl(place);
  return url === null ? null : `${url}/pull/${number}`;
}
