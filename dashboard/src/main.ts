import { token } from './ask.ts';
import { link } from './element.ts';
import { openPage } from './page.ts';
import { showRunList } from './run-list.ts';
import { showRun } from './run-page.ts';

const runPath = /^\/runs\/([0-9a-f-]{36})\/?$/i;
let leaving = new AbortController();

function start(): void {
  leaving.abort();
  leaving = new AbortController();
  const page = openPage(start);
  if (token.read() === null) {
    page.askForToken(null);
    return;
  }
  const { pathname } = location;
  const [, runId] = runPath.exec(pathname) ?? [];
  if (runId !== undefined) void showRun(page, runId, leaving.signal);
  else if (pathname === '/') void showRunList(page);
  else page.show('Not found', link('There is nothing here. All runs', '/'));
}

start();
