import { type Role, Scope } from '@proofmark/contracts/words';

const scopesOf: Readonly<Record<Role, readonly Scope[]>> = {
  admin: Scope.options,
  writer: ['runs:read', 'runs:write', 'baseline:write', 'pull-requests:write', 'queries:large'],
  reader: ['runs:read', 'queries:large'],
  ci: ['runs:read', 'runs:write', 'baseline:write', 'pull-requests:write'],
  // It has the key of a runner, and asks nothing of the API.
  runner: [],
};

/** What a token with these scopes may do in the hands of somebody with this role. */
export function scopesWithin(role: Role, scopes: readonly Scope[]): ReadonlySet<Scope> {
  const isAll = scopes.includes('admin');
  return new Set(scopesOf[role].filter((scope) => scopes.includes(scope) || (isAll && scope !== 'queries:large')));
}

/** What a browser may do in the hands of somebody who signed in by name. */
export const scopesOfRole = (role: Role): readonly Scope[] =>
  role === 'admin' ? ['admin'] : scopesOf[role].filter((scope) => scope !== 'queries:large');
