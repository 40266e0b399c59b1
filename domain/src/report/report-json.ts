import { screenSafe } from '../text/screen-safe-json.ts';

/** A report, or any other value of a result file, as its JSON: two spaces of indent, keys without a value left out. */
export const renderJson = (value: unknown): string =>
  screenSafe(`${JSON.stringify(value, (_key, entry: unknown) => (entry === null ? undefined : entry), 2)}\n`);

/** The JSON of an answer with everything that it has, also what is null. */
export const renderAnswer = (value: unknown): string => screenSafe(`${JSON.stringify(value, null, 2)}\n`);
