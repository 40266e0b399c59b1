import type { JSX } from 'preact';
import { useAnswer } from '../../data/use-answer.ts';
import { SetUpRepositoriesDocument, SetUpRunnersDocument } from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { Empty, useTitle, When } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { Alerts, Schedules } from './alerts.tsx';
import { Definitions, Models } from './definitions.tsx';
import { Settings } from './settings.tsx';
import { Tokens } from './tokens.tsx';

const sections: Readonly<Record<string, readonly [name: string, view: () => JSX.Element]>> = {
  definitions: ['Suites and cases', Definitions],
  models: ['AI configurations', Models],
  schedules: ['Schedules', Schedules],
  alerts: ['Alerts', Alerts],
  tokens: ['Tokens and people', Tokens],
  repositories: ['Repositories', Repositories],
  runners: ['Runners', Runners],
  settings: ['Settings', Settings],
};

/** What is defined, who may do what, and what runs. */
export function SetUp({ section }: { section: string }) {
  const [name, View] = sections[section] ?? ['Set-up', null];
  useTitle(name);
  return (
    <>
      <h1>Set-up</h1>
      <nav class="sections" aria-label="Set-up">
        {Object.entries(sections).map(([key, [title]]) => (
          <Link key={key} to={`/set-up/${key}`} aria-current={key === section ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      {View === null ? <Empty title="There is nothing at this address.">Choose one of the above.</Empty> : <View />}
    </>
  );
}

function Repositories() {
  return (
    <>
      <h2>Repositories</h2>
      <Listed
        what="repositories"
        answered={useAnswer(SetUpRepositoriesDocument, {})}
        rowsOf={(answer) => answer.repositories.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          [
            'Repository',
            ({ fullName }) => <Link to={`/runs?repository=${encodeURIComponent(fullName)}`}>{fullName}</Link>,
          ],
          ['Forge', ({ host }) => host],
          [
            'Base branches',
            ({ defaultBranch, baselineBranches }) =>
              [defaultBranch ?? '', ...baselineBranches].filter(Boolean).join(', '),
          ],
        ]}
        empty="They come with the first job of the Action that asks this coordinator, or with the App on GitHub."
      />
    </>
  );
}

function Runners() {
  return (
    <>
      <h2>Runners</h2>
      <Listed
        what="runners"
        answered={useAnswer(SetUpRunnersDocument, {})}
        rowsOf={(answer) => answer.runners}
        keyOf={({ id }) => id}
        columns={[
          ['Runner', ({ id }) => id],
          ['Pools', ({ pools }) => pools.join(', ')],
          ['Busy', ({ heldTestRuns, slots }) => `${heldTestRuns} test runs, ${slots} slots`],
          ['Connected', ({ since }) => <When time={since} />],
          ['Version', ({ version }) => version],
          [
            'Works on',
            ({ runIds }) =>
              runIds.slice(0, 3).map((id) => (
                <div key={id}>
                  <Link to={paths.run(id)}>{id.slice(0, 8)}</Link>
                </div>
              )),
          ],
        ]}
        empty="Start one: proofmark-runner, with the address and the key of the broker. Until then every test run waits."
      />
    </>
  );
}
