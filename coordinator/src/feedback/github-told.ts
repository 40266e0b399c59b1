/** What is told of the requests to GitHub, for whoever counts them. */
export interface GithubTold {
  /** An answer came; `status` null: none did. */
  answered: (request: { kind: 'read' | 'write' | 'graphql' | 'token'; status: number | null }) => void;
  /** GitHub asked for a pause. */
  paused: () => void;
}
