/** How sentences call the base. */
export interface BaseWords {
  /** After "on", "against" or "and": `main`, `the base`. */
  name: string;
  /** At the beginning of a sentence. */
  subject: string;
  /** What a run that makes a base runs on: `main`, `the base branch`. */
  branch: string;
}

/** Branches whose names cannot be anything but words; all others stay out of our sentences. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9./-]{0,49}$/;

export function baseWords(branch: string | undefined): BaseWords {
  if (branch === undefined || !plainName.test(branch)) {
    return { name: 'the base', subject: 'The base', branch: 'the base branch' };
  }
  return { name: branch, subject: `${branch.slice(0, 1).toUpperCase()}${branch.slice(1)}`, branch };
}
