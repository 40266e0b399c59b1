import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { useAnswer } from '../../data/use-answer.ts';
import {
  PageCreatePersonDocument,
  PageCreateTokenDocument,
  PageRevokeTokenDocument,
  SetUpTokensDocument,
  type SetUpTokensQuery,
} from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { When } from '../../parts/pieces.tsx';

/** Tokens of programs and people: who has one, what it may do, and when it was used last. */
export function Tokens() {
  const answered = useAnswer(SetUpTokensDocument, {});
  const [said, setSaid] = useState('');
  const revoke = async (id: string): Promise<void> => {
    const asked = await ask(PageRevokeTokenDocument, { id });
    const told = asked.ok ? asked.answer.revokeApiToken : asked;
    setSaid('message' in told ? told.message : 'The token is revoked.');
    await answered.reload();
  };
  return (
    <>
      <h2>Tokens</h2>
      <NewToken onMade={answered.reload} />
      <p role="status">{said}</p>
      <Listed
        what="tokens"
        answered={answered}
        rowsOf={(answer) => answer.apiTokens.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Name', ({ name }) => name],
          ['Of', ({ login }) => login],
          [
            'May',
            ({ scopes, repository }) =>
              `${scopes.map(scopeText).join(', ')}${repository === null ? '' : `, in ${repository}`}`,
          ],
          ['Used', ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <When time={lastUsedAt} />)],
          ['Ends', ({ expiresAt }) => (expiresAt === null ? 'never' : <When time={expiresAt} />)],
          [
            '',
            ({ id, name, revokedAt }) =>
              revokedAt === null ? (
                <button type="button" aria-label={`Revoke ${name}`} onClick={() => void revoke(id)}>
                  Revoke
                </button>
              ) : (
                <span class="quiet">revoked</span>
              ),
          ],
        ]}
        empty="Make one above."
      />
      <h2>People</h2>
      <NewPerson />
    </>
  );
}

type Scope = SetUpTokensQuery['apiTokens']['edges'][number]['node']['scopes'][number];

const scopes: readonly Scope[] = [
  'RUNS_READ',
  'RUNS_WRITE',
  'BASELINE_WRITE',
  'PULL_REQUESTS_WRITE',
  'QUERIES_LARGE',
  'ADMIN',
];
const scopeText = (scope: Scope): string => scope.toLowerCase().replace('_', ' ');

/** A token is shown once: the coordinator keeps only its hash. */
function NewToken({ onMade }: { onMade: () => Promise<void> }) {
  const [name, setName] = useState('');
  const [login, setLogin] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['RUNS_READ']);
  const [made, setMade] = useState<string | null>(null);
  const [problem, setProblem] = useState('');
  const make = async (): Promise<void> => {
    const asked = await ask(PageCreateTokenDocument, {
      input: { name, scopes: [...chosen], ...(login === '' ? {} : { login }) },
    });
    if (!asked.ok) return setProblem(asked.message);
    const { createApiToken: told } = asked.answer;
    if (!('token' in told)) return setProblem(told.message);
    setProblem('');
    setMade(told.token);
    setName('');
    await onMade();
  };
  return (
    <form
      class="card"
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <div class="filters">
        <label>
          Name
          <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <label>
          For the login
          <input value={login} placeholder="yourself" onInput={({ currentTarget }) => setLogin(currentTarget.value)} />
        </label>
        <fieldset>
          <legend>It may</legend>
          {scopes.map((scope) => (
            <label key={scope} class="inline">
              <input
                type="checkbox"
                checked={chosen.includes(scope)}
                onChange={() =>
                  setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
                }
              />{' '}
              {scopeText(scope)}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="first" disabled={chosen.length === 0}>
          Make a token
        </button>
      </div>
      <p role="alert" class="bad">
        {problem}
      </p>
      {made !== null && (
        <div role="status">
          <p>Here it is, this once. Whoever has it has its rights.</p>
          <SecretShown secret={made} />
        </div>
      )}
    </form>
  );
}

/** The one text that may look like a key: a field holds it, whose value is not text of the page. */
function SecretShown({ secret }: { secret: string }) {
  return (
    <p class="buttons">
      <input
        readOnly
        aria-label="The new token"
        size={50}
        value={secret}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <button type="button" onClick={() => void navigator.clipboard.writeText(secret)}>
        Copy
      </button>
    </p>
  );
}

function NewPerson() {
  const [login, setLogin] = useState('');
  const [said, setSaid] = useState('');
  const make = async (): Promise<void> => {
    const asked = await ask(PageCreatePersonDocument, { input: { login } });
    if (!asked.ok) return setSaid(asked.message);
    const { createPerson: told } = asked.answer;
    setSaid('person' in told ? `${told.person.login} is known. Make a token for that login above.` : told.message);
  };
  return (
    <form
      class="card"
      aria-label="New person"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <p class="quiet">What is made with a token is kept as made by whom the token is for.</p>
      <div class="filters">
        <label>
          Login
          <input required value={login} onInput={({ currentTarget }) => setLogin(currentTarget.value)} />
        </label>
        <button type="submit">Add a person</button>
      </div>
      <p role="status">{said}</p>
    </form>
  );
}
