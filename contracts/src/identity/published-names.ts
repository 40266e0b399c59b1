/**
 * Where the project is published, and as what. Nothing else decides these: `npm run generate` writes them wherever a page, a
 * workflow or a manifest says them, and `npm run check` finds what says something else.
 */
export const published = {
  /** On GitHub, which the registry compares with the repository that a package names. */
  repository: 'proofmark-dev/proofmark',
  packages: {
    command: 'proofmark',
    client: '@proofmark/client',
    coordinator: 'proofmark-coordinator',
    runner: 'proofmark-runner',
  },
  /** Images are called like the packages that they hold. */
  imageRegistry: 'ghcr.io/proofmark-dev',
  /** The moving tag of the Action: its major version. */
  actionVersion: 'v1',
} as const;

/** What a workflow writes behind `uses:`. */
export const publishedAction = `${published.repository}/action@${published.actionVersion}`;
