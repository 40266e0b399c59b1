const hostName = /^[a-z0-9.-]+(:\d{1,5})?$/i;
const loopback = /^(localhost|127\.0\.0\.1)(:|$)/;
const fullName = /^[\w.-]+\/[\w.-]+$/;
const commitSha = /^[0-9a-f]{7,64}$/;

interface ForgePlace {
  host: string | null;
  repository: string | null;
}

/** Where a repository is seen; null when what the run says of it is no such place. */
function repositoryUrl({ host, repository }: ForgePlace): string | null {
  if (host === null || repository === null || !hostName.test(host) || !fullName.test(repository)) return null;
  if (repository.includes('..')) return null;
  return `${loopback.test(host) ? 'http' : 'https'}://${host}/${repository}`;
}

export function commitUrl(where: ForgePlace, sha: string): string | null {
  const url = repositoryUrl(where);
  return url === null || !commitSha.test(sha) ? null : `${url}/commit/${sha}`;
}

export function pullRequestUrl(where: ForgePlace, number: number): string | null {
  const url = repositoryUrl(where);
  return url === null ? null : `${url}/pull/${number}`;
}

/** The checks of a commit, on the forge. */
export function checksUrl(where: ForgePlace, sha: string): string | null {
  const url = commitUrl(where, sha);
  return url === null ? null : `${url}/checks`;
}

/** A line of a definition file at a commit. */
export function fileUrl(
  where: ForgePlace,
  { sha, path, line }: { sha: string; path: string; line: number | null },
): string | null {
  const url = repositoryUrl(where);
  if (url === null || !commitSha.test(sha) || path.split('/').includes('..')) return null;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${url}/blob/${sha}/${encoded}${line === null ? '' : `#L${line}`}`;
}
