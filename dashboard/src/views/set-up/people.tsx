import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { viewer } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import {
  PageChangePersonDocument,
  PageCreatePersonDocument,
  PageCreateServiceDocument,
  type Role,
  SetUpPeopleDocument,
  type SetUpPeopleQuery,
} from '../../operations/documents.ts';
import { problemIn, useDeed, WhatCame } from '../../parts/deed.tsx';
import { Listed } from '../../parts/listed.tsx';
import { PagesOf, useTurning } from '../../parts/paged.tsx';
import { When } from '../../parts/pieces.tsx';

type Person = SetUpPeopleQuery['people']['edges'][number]['node'];

/** What somebody may be, as far as it is chosen here, with what it allows. */
const roles: Readonly<Record<Role, string>> = {
  ADMIN: 'everything, tokens and people included',
  WRITER: 'reads and starts runs, changes suites and agents',
  READER: 'reads runs and what is tested',
  CI: 'starts runs of the base branch and of pull requests',
  RUNNER: 'has the key of a runner, and asks nothing',
};
const roleNames = Object.keys(roles) as Role[];

/** People and services: what each of them may be at the most, whatever their tokens say. */
export function People() {
  const turning = useTurning();
  const answered = useAnswer(SetUpPeopleDocument, { after: turning.after });
  const deed = useDeed();
  const change = async (person: Person, to: { role?: Role; isDisabled?: boolean }, done: string): Promise<void> => {
    const variables = { id: person.id, role: to.role ?? null, isDisabled: to.isDisabled ?? null };
    await deed.act(
      async () => problemIn(await ask(PageChangePersonDocument, variables), (told) => told.changePerson),
      done,
    );
    await answered.reload();
  };
  const isSelf = ({ login }: Person): boolean => login === viewer.value?.login;
  return (
    <>
      <h2>People and services</h2>
      <NewPerson onMade={answered.reload} />
      <WhatCame of={deed} />
      <Listed
        what="people"
        answered={answered}
        rowsOf={(answer) => answer.people.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Login', ({ login }) => login],
          ['Name', ({ displayName }) => displayName ?? '–'],
          ['Is', ({ kind }) => kind.toLowerCase()],
          [
            'May be',
            (person) => (
              <>
                {isSelf(person) ? (
                  `${person.role.toLowerCase()}, as you`
                ) : (
                  <select
                    aria-label={`Role of ${person.login}`}
                    disabled={deed.isBusy}
                    value={person.role}
                    onChange={({ currentTarget: { value } }) => {
                      const role = roleNames.find((one) => one === value);
                      if (role !== undefined)
                        void change(person, { role }, `${person.login} is ${role.toLowerCase()} from now on.`);
                    }}
                  >
                    {roleNames.map((role) => (
                      <option key={role} value={role}>
                        {role.toLowerCase()}
                      </option>
                    ))}
                  </select>
                )}
                <div class="quiet small">{roles[person.role]}</div>
              </>
            ),
          ],
          [
            'Acts',
            ({ disabledAt }) =>
              disabledAt === null ? (
                'yes'
              ) : (
                <span class="warn">
                  not since <When time={disabledAt} />
                </span>
              ),
          ],
          [
            '',
            (person) =>
              isSelf(person) ? null : person.disabledAt === null ? (
                <button
                  type="button"
                  disabled={deed.isBusy}
                  aria-label={`Disable ${person.login}`}
                  onClick={() =>
                    window.confirm(`Disable ${person.login}? No token and no session of theirs opens anything then.`) &&
                    void change(person, { isDisabled: true }, `Nothing of ${person.login} opens anything from now on.`)
                  }
                >
                  Disable
                </button>
              ) : (
                <button
                  type="button"
                  disabled={deed.isBusy}
                  aria-label={`Enable ${person.login}`}
                  onClick={() => void change(person, { isDisabled: false }, `${person.login} may act again.`)}
                >
                  Enable
                </button>
              ),
          ],
        ]}
        empty="Add one above."
      />
      <PagesOf turning={turning} pageInfo={answered.answer?.people.pageInfo} first="First people" next="More people" />
    </>
  );
}

function NewPerson({ onMade }: { onMade: () => Promise<void> }) {
  const [login, setLogin] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [isService, setService] = useState(false);
  const [role, setRole] = useState<Role>('WRITER');
  const deed = useDeed();
  const make = async (): Promise<void> => {
    const input = { login, role, ...(displayName === '' ? {} : { displayName }) };
    const isMade = await deed.act(
      async () =>
        isService
          ? problemIn(await ask(PageCreateServiceDocument, { input }), (told) => told.createService)
          : problemIn(await ask(PageCreatePersonDocument, { input }), (told) => told.createPerson),
      `${login} is known. Make a token for that login under Tokens${isService ? '' : ', or let them sign in by name'}.`,
    );
    if (!isMade) return;
    setLogin('');
    setDisplayName('');
    await onMade();
  };
  return (
    <form
      class="card"
      aria-label="New person or service"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <div class="filters">
        <label>
          Login
          <input required value={login} onInput={({ currentTarget }) => setLogin(currentTarget.value)} />
        </label>
        <label>
          Name
          <input value={displayName} onInput={({ currentTarget }) => setDisplayName(currentTarget.value)} />
        </label>
        <label>
          Is a
          <select
            value={isService ? 'service' : 'person'}
            onChange={({ currentTarget }) => setService(currentTarget.value === 'service')}
          >
            <option value="person">person</option>
            <option value="service">service: a program</option>
          </select>
        </label>
        <label>
          May be
          <select
            value={role}
            onChange={({ currentTarget: { value } }) => setRole(roleNames.find((one) => one === value) ?? role)}
          >
            {roleNames.map((one) => (
              <option key={one} value={one}>
                {one.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="first" disabled={deed.isBusy}>
          Add
        </button>
      </div>
      <p class="quiet small">{roles[role]}</p>
      <WhatCame of={deed} />
    </form>
  );
}
