import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { signOut, type Viewer, viewer } from './data/session.ts';
import { forgetAnswers } from './data/use-answer.ts';
import { Empty } from './parts/pieces.tsx';
import { go, Link, place } from './parts/route.tsx';
import { ThemeChoice } from './parts/theme.tsx';
import { Compare } from './views/compare.tsx';
import { Home } from './views/home.tsx';
import { RunPage } from './views/run/run.tsx';
import { Runs } from './views/runs.tsx';
import { SetUp } from './views/set-up/set-up.tsx';
import { SignIn } from './views/sign-in.tsx';
import { SuiteRunPage } from './views/suite-run/suite-run.tsx';
import { CaseView, TestRunById } from './views/test-run/case-view.tsx';
import { Trends } from './views/trends.tsx';

const uuid = '([0-9a-f-]{36})';

/** Which view an address shows. The coordinator serves the page at each of them. */
const views: readonly (readonly [RegExp, (...parts: string[]) => JSX.Element])[] = [
  [/^\/$/, () => <Home />],
  [/^\/runs$/, () => <Runs />],
  [new RegExp(`^/runs/${uuid}$`), (id = '') => <RunPage key={id} id={id} />],
  [new RegExp(`^/suite-runs/${uuid}$`), (id = '') => <SuiteRunPage key={id} id={id} />],
  [
    new RegExp(`^/suite-runs/${uuid}/cases/([^/]+)$`),
    (id = '', name = '') => <CaseView key={`${id} ${name}`} suiteRunId={id} caseName={decoded(name)} />,
  ],
  [new RegExp(`^/test-runs/${uuid}$`), (id = '') => <TestRunById key={id} id={id} />],
  [/^\/suites$/, () => <Trends suiteId={null} />],
  [new RegExp(`^/suites/${uuid}$`), (id = '') => <Trends key={id} suiteId={id} />],
  [/^\/compare$/, () => <Compare />],
  [/^\/set-up(?:\/([a-z-]+))?$/, (section = 'definitions') => <SetUp section={section} />],
];

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // An address that somebody cut: it is shown as it is, and names no case.
    return name;
  }
}

const sections = [
  ['/', 'Home'],
  ['/runs', 'Runs'],
  ['/suites', 'Trends'],
  ['/compare', 'Compare'],
  ['/set-up', 'Set-up'],
] as const;

const isUnder = (path: string, section: string): boolean => {
  if (section === '/runs') return /^\/(runs|suite-runs|test-runs)(\/|$)/.test(path);
  return section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`);
};

export function App() {
  const { path } = place.value;
  const who = viewer.value ?? null;
  // Until it is known, the view asks already: whoever is signed in waits for one answer instead of two.
  const isShown = viewer.value !== null;
  return (
    <>
      <header>
        <Link class="brand" to="/">
          Proofmark
        </Link>
        {isShown && (
          <nav aria-label="Views">
            {sections.map(([to, name]) => (
              <Link key={to} to={to} aria-current={isUnder(path, to) ? 'page' : undefined}>
                {name}
              </Link>
            ))}
          </nav>
        )}
        <div class="account">
          {who !== null && <Account who={who} />}
          <ThemeChoice />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {isShown && <View path={path.replace(/(.)\/$/, '$1')} />}
        {viewer.value === null && <SignIn />}
      </main>
    </>
  );
}

function View({ path }: { path: string }) {
  for (const [pattern, view] of views) {
    const found = pattern.exec(path);
    if (found !== null) return view(...found.slice(1));
  }
  return (
    <Empty title="There is nothing at this address.">
      The link may be cut. <Link to="/runs">All runs</Link>
    </Empty>
  );
}

function Account({ who }: { who: Viewer }) {
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => forgetAnswers, []);
  const leave = async (): Promise<void> => {
    const why = await signOut();
    if (why === null) go('/');
    else setProblem(`You are still signed in. ${why}`);
  };
  return (
    <>
      {problem !== null && (
        <span class="bad" role="alert">
          {problem}
        </span>
      )}
      <span class="who">
        {who.login} <span class="quiet">{who.tenant}</span>
      </span>
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
    </>
  );
}
