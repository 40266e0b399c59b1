/** The bytes of a file, or why there are none, in words that name the place and never the content. */
export type Fetched = { ok: true; bytes: Buffer } | { ok: false; message: string };

export const largestFile = 20 * 1024 * 1024;

export const tooLarge = `is larger than ${largestFile / 1024 / 1024} MB`;
