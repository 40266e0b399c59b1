import { truncateResponse } from './truncate-response.ts';

const nameCharacters = 256;
const errorCharacters = 4 * 1024;

/** What is kept of a name or an id that a model or an agent made up: more than any definition may have, for it may be as long as an answer. */
export function cutName(name: string): string {
  if (name.length <= nameCharacters) return name;
  // Counted as definitions count: a character that JavaScript writes as two is one.
  return Array.from(name.slice(0, 2 * nameCharacters))
    .slice(0, nameCharacters)
    .join('');
}

/** What is kept of an error in the words of an agent. */
export const cutError = (message: string): string => truncateResponse(message, errorCharacters).text;

/** The model that an answer says it comes from, and the flag that its name was cut. */
export function cutModel(model: string | null | undefined): { model: string | null; flags: 'evidence_cut'[] } {
  if (model === null || model === undefined) return { model: null, flags: [] };
  const kept = cutName(model);
  return { model: kept, flags: kept === model ? [] : ['evidence_cut'] };
}
