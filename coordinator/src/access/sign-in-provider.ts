import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  /** Null: the provider knows this client by its redirect address and PKCE alone. */
  clientSecret: string | null;
  /** The claim that is the login of a person here. */
  claim: string;
  /** Where the provider sends browsers back to. */
  redirectUri: string;
}

/** Somebody as the provider vouches for them. */
export interface ProvidedPerson {
  /** What stays the same whatever they are called. */
  externalId: string;
  login: string;
  displayName: string | null;
}

type Provided = { ok: true; person: ProvidedPerson; to: string } | { ok: false; message: string };

/** Signs people in with an OpenID provider: authorization code with PKCE, state and nonce. */
export interface SignInProvider {
  /** Its host, for the button. */
  name: string;
  /** Where the browser goes, and what it keeps meanwhile. */
  begin: (to: string) => Promise<{ url: URL; flow: string }>;
  /** Who came back, with the query that the provider has sent them with and what the browser has kept. */
  finish: (query: URLSearchParams, flow: string) => Promise<Provided>;
}

const flowMinutes = 10;
/** Long enough for a slow provider, short enough for a person who waits. */
const timeoutS = 10;

const Flow = z.object({
  ...{ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string(), expires: z.number() },
});
type Flow = z.infer<typeof Flow>;

const Claims = z.looseObject({
  ...{ iss: z.string(), sub: z.string(), name: z.string().optional() },
  // Some providers say it in words.
  email_verified: z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })]).optional(),
});

export function signInProvider(settings: ProviderSettings, key: Buffer, now: () => number): SignInProvider {
  const flows = flowSealer(key, now);
  let known: Promise<Configuration> | undefined;
  // Asked for when somebody signs in: a provider that is away keeps no coordinator from starting.
  const configuration = () => {
    known ??= discover(settings).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    name: new URL(settings.issuer).host,
    begin: async (to) => {
      const flow = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), to };
      const url = buildAuthorizationUrl(await configuration(), {
        ...{ redirect_uri: settings.redirectUri, scope: 'openid profile email', state: flow.state, nonce: flow.nonce },
        ...{ code_challenge: await calculatePKCECodeChallenge(flow.verifier), code_challenge_method: 'S256' },
      });
      return { url, flow: flows.seal(flow) };
    },
    finish: async (query, sealed) => {
      const flow = flows.open(sealed);
      if (flow === null)
        return { ok: false, message: 'This sign-in was not begun in this browser, or it took too long.' };
      const url = new URL(`${settings.redirectUri}?${query}`);
      const checks = { expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier };
      try {
        const known = await configuration();
        const tokens = await authorizationCodeGrant(known, url, { ...checks, idTokenExpected: true });
        return readPerson(await claimsOf(known, tokens, settings.claim), settings.claim, flow.to);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { ok: false, message: `${settings.issuer} did not vouch for anybody: ${reason}.` };
      }
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  // Over plain http there is no provider but one on this machine: the setting allows no other.
  const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : [];
  return await (clientSecret === null
    ? discovery(new URL(issuer), clientId, undefined, None(), { execute, timeout: timeoutS })
    : discovery(new URL(issuer), clientId, clientSecret, undefined, { execute, timeout: timeoutS }));
}

/** What the provider says of somebody: in its token, and what is not there where it tells more of the same subject. */
async function claimsOf(
  known: Configuration,
  tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>,
  claim: string,
): Promise<object> {
  const claims = tokens.claims();
  const isEnough = claims?.[claim] !== undefined && (claim !== 'email' || claims.email_verified !== undefined);
  if (claims === undefined || isEnough || known.serverMetadata().userinfo_endpoint === undefined) return claims ?? {};
  return { ...claims, ...(await fetchUserInfo(known, tokens.access_token, claims.sub)), iss: claims.iss };
}

function readPerson(claims: unknown, claim: string, to: string): Provided {
  const read = Claims.safeParse(claims);
  if (!read.success) return { ok: false, message: 'The provider told nothing about who it is.' };
  const login = read.data[claim];
  if (typeof login !== 'string' || login === '')
    return {
      ok: false,
      message: `The provider told no ${claim}. PROOFMARK_SIGN_IN_CLAIM names the claim that is the login.`,
    };
  // Anybody can give an address that is not theirs.
  if (claim === 'email' && read.data.email_verified !== true)
    return {
      ok: false,
      message: `The provider does not say that ${login} was verified. Let it, or name another claim with PROOFMARK_SIGN_IN_CLAIM.`,
    };
  const { iss, sub, name = null } = read.data;
  return {
    ok: true,
    to,
    person: { externalId: JSON.stringify([iss, sub]), login, displayName: name?.slice(0, 255) ?? null },
  };
}

/** What a browser keeps while it is with the provider: ours, unchanged and not too old. */
function flowSealer(key: Buffer, now: () => number) {
  const macOf = (body: string) => createHmac('sha256', key).update(`sign-in flow\n${body}`).digest();
  return {
    seal: (flow: Omit<Flow, 'expires'>): string => {
      const body = Buffer.from(JSON.stringify({ ...flow, expires: now() + flowMinutes * 60_000 })).toString(
        'base64url',
      );
      return `${body}.${macOf(body).toString('base64url')}`;
    },
    open: (sealed: string): Flow | null => {
      const [body = '', mac = ''] = sealed.split('.');
      const given = Buffer.from(mac, 'base64url');
      if (given.length !== 32 || !timingSafeEqual(macOf(body), given)) return null;
      const flow = Flow.parse(JSON.parse(Buffer.from(body, 'base64url').toString('utf8')));
      return flow.expires > now() ? flow : null;
    },
  };
}
