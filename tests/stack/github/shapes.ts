import { z } from 'zod';

// The parts of GitHub's objects that this server reads; everything else passes through as it came.

export const Repository = z.looseObject({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  default_branch: z.string(),
  private: z.boolean(),
  owner: z.looseObject({ login: z.string(), id: z.number() }),
});
export type Repository = z.infer<typeof Repository>;

const Side = z.looseObject({
  ref: z.string(),
  sha: z.string(),
  repo: Repository.nullable(),
});

export const PullRequest = z.looseObject({
  id: z.number(),
  number: z.number(),
  title: z.string(),
  state: z.string(),
  url: z.string(),
  head: Side,
  base: Side.extend({ repo: Repository }),
});
export type PullRequest = z.infer<typeof PullRequest>;

export const Sha = z.looseObject({ sha: z.string() });
export const Ref = z.looseObject({ ref: z.string(), object: Sha });
export const User = z.looseObject({ login: z.string(), id: z.number() });

export const ChangedFile = z.looseObject({
  sha: z.string(),
  filename: z.string(),
  status: z.string(),
  additions: z.number(),
  deletions: z.number(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

export const Comparison = z.looseObject({
  status: z.string(),
  merge_base_commit: z.looseObject({ sha: z.string(), commit: z.looseObject({ tree: Sha }) }),
  total_commits: z.number(),
  commits: z.array(z.looseObject({ sha: z.string() })),
  files: z.array(ChangedFile),
});
export type Comparison = z.infer<typeof Comparison>;

export const Tree = z.looseObject({
  sha: z.string(),
  tree: z.array(z.looseObject({ path: z.string(), type: z.string(), sha: z.string() })),
});
