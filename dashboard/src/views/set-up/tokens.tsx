import { useState } from 'preact/hooks';
import { ask } from '../../data/ask.ts';
import { useAnswer } from '../../data/use-answer.ts';
import {
  PageCreateTokenDocument,
  PageRevokeTokenDocument,
  PageRotateTokenDocument,
  SetUpTokensDocument,
  type SetUpTokensQuery,
} from '../../operations/documents.ts';
import { problemIn, useDeed, WhatCame } from '../../parts/deed.tsx';
import { Listed } from '../../parts/listed.tsx';
import { PagesOf, useTurning } from '../../parts/paged.tsx';
import { When } from '../../parts/pieces.tsx';
import { Secret } from '../../parts/secret.tsx';

type Token = SetUpTokensQuery['apiTokens']['edges'][number]['node'];

/** While both go on, whoever has the old one takes the new one. */
const graceHours = 24;

/** Tokens of programs and people: who has one, what it may do, and when it was used last. */
export function Tokens() {
  const turning = useTurning();
  const answered = useAnswer(SetUpTokensDocument, { after: turning.after });
  const [rotated, setRotated] = useState<{ name: string; token: string } | null>(null);
  const deed = useDeed();
  const revoke = async ({ id }: Token): Promise<void> => {
    await deed.act(
      async () => problemIn(await ask(PageRevokeTokenDocument, { id }), (told) => told.revokeApiToken),
      'The token is revoked.',
    );
    await answered.reload();
  };
  const rotate = async ({ id, name }: Token): Promise<void> => {
    // What is shown already stays until there is another: a second try may be refused, and nobody can read the first again.
    await deed.act(async () => {
      const asked = await ask(PageRotateTokenDocument, { id, graceHours });
      if (asked.ok && 'token' in asked.answer.rotateApiToken)
        setRotated({ name, token: asked.answer.rotateApiToken.token });
      return problemIn(asked, (told) => told.rotateApiToken);
    }, `The old ${name} goes on for ${graceHours} hours.`);
    await answered.reload();
  };
  return (
    <>
      <h2>Tokens</h2>
      <NewToken onMade={answered.reload} />
      {rotated !== null && (
        <div class="card" role="status">
          <p>The new {rotated.name}, this once. It may do what the old one may.</p>
          <Secret secret={rotated.token} label="The token in its place" />
        </div>
      )}
      <WhatCame of={deed} />
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
          ['Made', ({ createdAt }) => <When time={createdAt} />],
          ['Used', ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <When time={lastUsedAt} />)],
          ['Ends', ({ expiresAt }) => (expiresAt === null ? 'never' : <When time={expiresAt} />)],
          [
            '',
            (token) =>
              hasEnded(token) ? (
                <span class="quiet">{token.revokedAt === null ? 'ended' : 'revoked'}</span>
              ) : (
                <span class="buttons">
                  <button
                    type="button"
                    disabled={deed.isBusy}
                    aria-label={`Rotate ${token.name}`}
                    onClick={() => void rotate(token)}
                  >
                    Rotate
                  </button>
                  <button
                    type="button"
                    disabled={deed.isBusy}
                    aria-label={`Revoke ${token.name}`}
                    onClick={() =>
                      window.confirm(`Revoke ${token.name}? Whoever uses it is refused from now on.`) &&
                      void revoke(token)
                    }
                  >
                    Revoke
                  </button>
                </span>
              ),
          ],
        ]}
        empty="Make one above."
      />
      <PagesOf turning={turning} pageInfo={answered.answer?.apiTokens.pageInfo} first="Newest" next="Older" />
    </>
  );
}

const hasEnded = ({ revokedAt, expiresAt }: Token): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) < Date.now());

type Scope = Token['scopes'][number];

const scopes: readonly Scope[] = [
  'RUNS_READ',
  'RUNS_WRITE',
  'BASELINE_WRITE',
  'PULL_REQUESTS_WRITE',
  'QUERIES_LARGE',
  'ADMIN',
];
/** `runs:read`, as the command line and the documentation call it. */
const scopeText = (scope: Scope): string =>
  scope
    .toLowerCase()
    .replace(/_(?=[a-z]+$)/, ':')
    .replaceAll('_', '-');

/** A token is shown once: the coordinator keeps only its hash. */
function NewToken({ onMade }: { onMade: () => Promise<void> }) {
  const [name, setName] = useState('');
  const [login, setLogin] = useState('');
  const [chosen, setChosen] = useState<readonly Scope[]>(['RUNS_READ']);
  const [days, setDays] = useState('90');
  const [made, setMade] = useState<string | null>(null);
  const deed = useDeed();
  const make = async (): Promise<void> => {
    const input = {
      ...{ name, scopes: [...chosen] },
      ...(login === '' ? {} : { login }),
      ...(days === '' ? {} : { expiresInDays: Number.parseInt(days, 10) }),
    };
    const isMade = await deed.act(async () => {
      const asked = await ask(PageCreateTokenDocument, { input });
      if (asked.ok && 'token' in asked.answer.createApiToken) setMade(asked.answer.createApiToken.token);
      return problemIn(asked, (told) => told.createApiToken);
    }, '');
    if (!isMade) return;
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
        <label>
          Ends
          <select value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
            <option value="7">in a week</option>
            <option value="90">in 90 days</option>
            <option value="365">in a year</option>
            <option value="">never</option>
          </select>
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
        <button type="submit" class="first" disabled={deed.isBusy || chosen.length === 0}>
          Make a token
        </button>
      </div>
      <p role="alert" class="bad">
        {deed.said?.text}
      </p>
      {made !== null && (
        <div role="status">
          <p>Here it is, this once. Whoever has it has its rights.</p>
          <Secret secret={made} label="The new token" />
        </div>
      )}
    </form>
  );
}
