import type { JSX } from 'preact';
import { may, viewer } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { SetUpRepositoriesDocument, SetUpRunnersDocument } from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { PagesOf, useTurning } from '../../parts/paged.tsx';
import { Empty, useTitle, When } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { Alerts } from './alerts.tsx';
import { Audit } from './audit.tsx';
import { Definitions, Models } from './definitions.tsx';
import { People } from './people.tsx';
import { Schedules } from './schedules.tsx';
import { Settings } from './settings.tsx';
import { Tokens } from './tokens.tsx';

interface Section {
  name: string;
  View: () => JSX.Element;
  /** Only admins are told of it. */
  isOfAdmins?: true;
}

const sections: Readonly<Record<string, Section>> = {
  definitions: { name: 'Suites and cases', View: Definitions },
  models: { name: 'AI configurations', View: Models },
  schedules: { name: 'Schedules', View: Schedules },
  alerts: { name: 'Alerts', View: Alerts },
  repositories: { name: 'Repositories', View: Repositories },
  runners: { name: 'Runners', View: Runners, isOfAdmins: true },
  people: { name: 'People', View: People, isOfAdmins: true },
  tokens: { name: 'Tokens', View: Tokens, isOfAdmins: true },
  audit: { name: 'Audit', View: Audit, isOfAdmins: true },
  settings: { name: 'Settings', View: Settings },
};

/** What is defined, who may do what, and what runs. */
export function SetUp({ section }: { section: string }) {
  const { name, View, isOfAdmins } = sections[section] ?? { name: 'Set-up', View: null };
  useTitle(name);
  const isAdmin = may('admin');
  // Who it is becomes known with the first answer.
  const isKept = isOfAdmins === true && !isAdmin && viewer.value !== undefined;
  return (
    <>
      <h1>Set-up</h1>
      <nav class="sections" aria-label="Set-up">
        {Object.entries(sections).map(
          ([key, one]) =>
            (isAdmin || one.isOfAdmins === undefined) && (
              <Link key={key} to={`/set-up/${key}`} aria-current={key === section ? 'page' : undefined}>
                {one.name}
              </Link>
            ),
        )}
      </nav>
      {View === null && <Empty title="There is nothing at this address.">Choose one of the above.</Empty>}
      {isKept && <Empty title={`${name}: only admins see this.`}>Ask one of yours, or sign in as one.</Empty>}
      {View !== null && !isKept && <View />}
    </>
  );
}

function Repositories() {
  const turning = useTurning();
  const answered = useAnswer(SetUpRepositoriesDocument, { after: turning.after });
  return (
    <>
      <h2>Repositories</h2>
      <Listed
        what="repositories"
        answered={answered}
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
          [
            'Lets in',
            ({ claimPins }) =>
              claimPins.length === 0
                ? 'all of its jobs'
                : claimPins.map(({ claim, value }) => (
                    <div key={claim}>
                      {claim.toLowerCase().replaceAll('_', ' ')} <code>{value}</code>
                    </div>
                  )),
          ],
          [
            'App',
            ({ installationId }) =>
              installationId === null ? (
                <span class="quiet">not installed: jobs write checks with their own token</span>
              ) : (
                `installation ${installationId}`
              ),
          ],
        ]}
        empty="They come with the first job of the Action that asks this coordinator, or with the App on GitHub."
      />
      <PagesOf turning={turning} pageInfo={answered.answer?.repositories.pageInfo} first="Newest" next="Older" />
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
