/** Seed limit for a stored answer. */
export const maxResponseCharacters = 20_000;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** The answer as it is stored; one character less when the limit would cut a character in half. */
export function truncateResponse(
  response: string,
  maxCharacters = maxResponseCharacters,
): { readonly text: string; readonly isTruncated: boolean } {
  if (response.length <= maxCharacters) return { text: response, isTruncated: false };
  const isSplit = isHighSurrogate(response.charCodeAt(maxCharacters - 1));
  return { text: response.slice(0, maxCharacters - (isSplit ? 1 : 0)), isTruncated: true };
}
