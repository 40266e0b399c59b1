import { z } from 'zod';

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in small hexadecimal digits');

/** A file of the repository by what is in it: the same path may hold something else at another commit. */
export const FileContent = z.strictObject({
  /** From the root of the repository. */
  path: z.string().min(1),
  sha256: Sha256,
});
export type FileContent = z.infer<typeof FileContent>;

/** A file of a case with where it can be fetched for the next minutes. */
export const FetchableFile = FileContent.extend({ url: z.url() });
export type FetchableFile = z.infer<typeof FetchableFile>;
