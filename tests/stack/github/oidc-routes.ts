import { type Answer, ok, unauthorized } from './answer.ts';
import { issuerPath } from './oidc-issuer.ts';
import type { Request, Route, World } from './world.ts';

export const oidcRoutes: Route[] = [
  { method: 'GET', path: `${issuerPath}/.well-known/openid-configuration`, handle: discovery },
  { method: 'GET', path: `${issuerPath}/.well-known/jwks`, handle: ({ oidc }) => ok(oidc.jwks()) },
  { method: 'GET', path: `${issuerPath}/request`, handle: issueToken },
];

function discovery({ oidc: { issuer } }: World): Answer {
  return ok({
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks`,
    subject_types_supported: ['public', 'pairwise'],
    response_types_supported: ['id_token'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid'],
  });
}

async function issueToken({ oidc, origin }: World, { authorization, url }: Request): Promise<Answer> {
  const claims = oidc.claimsOfJob(authorization?.replace(/^bearer\s+/i, '') ?? '');
  if (claims === undefined) return unauthorized;
  const owner = String(claims.repository_owner);
  // Without an audience GitHub names the owner of the repository.
  const aud = url.searchParams.get('audience') ?? `${origin}/${owner}`;
  const value = await oidc.sign({ ...claims, aud });
  return ok({ count: value.length, value });
}
