import { useState } from 'preact/hooks';
import { provider, signIn, whyNobody } from '../data/session.ts';
import { useTitle } from '../parts/pieces.tsx';
import { place } from '../parts/route.tsx';

/** Asks who it is. The address stays: a link from a comment opens its target after signing in. */
export function SignIn() {
  useTitle('Sign in');
  const [value, setValue] = useState('');
  return (
    <form
      class="card sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim() !== '') void signIn(value.trim());
      }}
    >
      <h1>Sign in</h1>
      {whyNobody.value !== null && (
        <p class="bad" role="alert">
          {whyNobody.value}
        </p>
      )}
      {provider.value !== null && (
        <>
          <p>
            <a class="first" href={`${provider.value.url}?to=${encodeURIComponent(thisAddress())}`}>
              Sign in with {provider.value.name}
            </a>
          </p>
          <p class="quiet">Or with a token:</p>
        </>
      )}
      <label for="token">API token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        aria-describedby="token-note"
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <p id="token-note" class="quiet">
        It begins with pmk_. An admin makes one under Set-up, Tokens; who runs this coordinator, with{' '}
        <code>proofmark-coordinator access person</code>. You stay signed in for twelve hours, in all tabs; the token
        itself is not kept here.
      </p>
      <button type="submit" class="first">
        Sign in
      </button>
    </form>
  );
}

/** Where whoever signs in elsewhere comes back to. */
function thisAddress(): string {
  const { path, search } = place.value;
  return search.size === 0 ? path : `${path}?${search}`;
}
