const hostName = /^[a-z0-9.-]+(:\d{1,5})?$/i;
const loopback = /^(localhost|127\.0\.0\.1)(:|$)/;
const fullName = /^[\w.-]+\/[\w.-]+$/;
const commit = /^[0-9a-f]{7,64}$/;

type Place = { host: string | null; repository: string | null };

/** Where a repository is seen; null when what the run says of it is no such place. */
function repositoryUrl({ host, repository }: Place): string | null {
  if (host === null || repository === null || !hostName.test(host) || !fullName.test(repository)) return null;
  return `${loopback.test(host) ? 'http' : 'https'}://${host}/${repository}`;
}

export function commitUrl(place: Place, sha: string): string | null {
  const url = repositoryUrl(place);
  return url === null || !commit.test(sha) ? null : `${url}/commit/${sha}`;
}

export function pullRequestUrl(place: Place, number: number): string | null {
  const url = repositoryUrl(place);
  return url === null ? null : `${url}/pull/${number}`;
}
