/** One file that is printed from the code, committed, and checked to be in step. */
export interface GeneratedFile {
  /** From the root of the repository. */
  path: string;
  content: string;
}
