import type { PinnedClaim } from '@proofmark/contracts/words';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { RunClaims } from './caller.ts';

const maxTokenBytes = 16_384;
const maxAgeSeconds = 600;
const toleranceSeconds = 60;
const discoveryTimeoutMs = 5000;

const digits = z.string().regex(/^\d{1,20}$/);
const text = z.string().min(1).max(2048);

/** What the token of a CI job must say about itself, with exactly these types. */
const Payload = z.object({
  aud: z.string(),
  exp: z.number(),
  iat: z.number(),
  nbf: z.number().optional(),
  jti: text,
  repository_id: digits,
  repository_owner_id: digits,
  repository: text,
  run_id: digits,
  run_attempt: digits,
  event_name: text,
  ref: text,
  sha: text.optional(),
  job_workflow_ref: text.optional(),
  environment: text.optional(),
  runner_environment: text.optional(),
});

export interface VerifiedJobToken {
  claims: RunClaims;
  /** What an enrolled repository may pin beyond its ids. */
  pinned: Record<PinnedClaim, string | undefined>;
  jti: string;
  expiresAtSeconds: number;
}

type Verified = { ok: true; token: VerifiedJobToken } | { ok: false; code: 'UNAUTHENTICATED' | 'UNAVAILABLE' };
export type VerifyJobToken = (token: string) => Promise<Verified>;

type VerifierOptions = {
  issuer: string;
  audience: string;
  /** Absent: asked from the issuer. No URL inside a token is ever fetched. */
  jwksUri?: string | undefined;
  /** The forge whose jobs the issuer speaks for, such as github.com. */
  host: string;
  /** Least time between two looks at the keys: strangers with unknown key ids must not flood the issuer. */
  refetchMs?: number;
};

/** Checks tokens of several issuers, each by the one that it says it is from: nothing else is believed of it before. */
export function jobTokenVerifiers(issuers: readonly VerifierOptions[]): VerifyJobToken {
  const verifiers = new Map(issuers.map((options) => [options.issuer, jobTokenVerifier(options)]));
  return async (token) => {
    const verify = hasAllowedForm(token) ? verifiers.get(issuerOf(token) ?? '') : undefined;
    return verify === undefined ? { ok: false, code: 'UNAUTHENTICATED' } : await verify(token);
  };
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    // No payload of a token: the same as one of an unknown issuer.
    return undefined;
  }
}

/** Checks tokens of CI jobs: signature, issuer, audience, age and the types of every claim that is used. */
export function jobTokenVerifier({
  issuer,
  audience,
  jwksUri,
  host,
  refetchMs = 30_000,
}: VerifierOptions): VerifyJobToken {
  const keys = issuerKeys({ issuer, jwksUri, refetchMs });
  return async (token) => {
    if (!hasAllowedForm(token)) return { ok: false, code: 'UNAUTHENTICATED' };
    try {
      const { payload } = await jwtVerify(token, await keys(), {
        algorithms: ['RS256'],
        issuer,
        audience,
        clockTolerance: toleranceSeconds,
        maxTokenAge: maxAgeSeconds,
        requiredClaims: ['exp', 'iat', 'jti'],
      });
      const parsed = Payload.safeParse(payload);
      // A list is refused even when our audience is on it: such a token was made for somebody else as well.
      if (!parsed.success || parsed.data.aud !== audience) return { ok: false, code: 'UNAUTHENTICATED' };
      return { ok: true, token: toVerified(parsed.data, host) };
    } catch (error) {
      return { ok: false, code: isOurTrouble(error) ? 'UNAVAILABLE' : 'UNAUTHENTICATED' };
    }
  };
}

function hasAllowedForm(token: string): boolean {
  if (token.length > maxTokenBytes || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return false;
  try {
    const header: Record<string, unknown> = decodeProtectedHeader(token);
    const isSigned = header.alg === 'RS256' && typeof header.kid === 'string' && header.kid !== '';
    return isSigned && ['jwk', 'jku', 'x5u', 'crit'].every((name) => !Object.hasOwn(header, name));
  } catch {
    // Not the header of a token: the same as any other wrong token.
    return false;
  }
}

function isOurTrouble(error: unknown): boolean {
  return (
    !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC'
  );
}

/** The issuer's keys: an unknown key id asks for them again, now and then at most. */
function issuerKeys({
  issuer,
  jwksUri,
  refetchMs,
}: Pick<VerifierOptions, 'issuer' | 'jwksUri'> & { refetchMs: number }): () => Promise<JWTVerifyGetKey> {
  const open = (url: string) =>
    createRemoteJWKSet(new URL(url), { cooldownDuration: refetchMs, timeoutDuration: discoveryTimeoutMs });
  let keys = jwksUri === undefined ? undefined : Promise.resolve(open(jwksUri));
  return async () => {
    keys ??= discover(issuer).then(open);
    try {
      return await keys;
    } catch (error) {
      keys = undefined;
      throw error;
    }
  };
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url() });

async function discover(issuer: string): Promise<string> {
  const url = `${issuer}/.well-known/openid-configuration`;
  const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(discoveryTimeoutMs) });
  const found = Discovery.parse(await answer.json());
  if (found.issuer !== issuer) throw new Error('the discovery document speaks for another issuer');
  return found.jwks_uri;
}

function toVerified(payload: z.infer<typeof Payload>, host: string): VerifiedJobToken {
  const { job_workflow_ref, environment, runner_environment } = payload;
  return {
    claims: {
      host,
      repositoryId: payload.repository_id,
      ownerId: payload.repository_owner_id,
      repository: payload.repository,
      workflowRunId: payload.run_id,
      workflowRunAttempt: payload.run_attempt,
      event: payload.event_name,
      ref: payload.ref,
      sha: payload.sha ?? null,
    },
    pinned: { job_workflow_ref, environment, runner_environment },
    jti: payload.jti,
    expiresAtSeconds: payload.exp,
  };
}
