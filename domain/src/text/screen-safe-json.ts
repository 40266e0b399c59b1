/**
 * What a screen would obey or hide and JSON lets stand is written as `\u009b`, which reads back the same. So is the second
 * sign of `##[`, by which the log of a job knows a command.
 */
const obeyed =
  /[\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]|(?<=#)#(?=\[)/g;

/** Whether a text has anything of that. */
export const hasObeyed = (text: string): boolean => text.search(obeyed) >= 0;

/** JSON without what a terminal or a job's log would obey; whoever parses it reads the same. */
export const screenSafe = (json: string): string =>
  json.replaceAll(obeyed, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );

/** A report, or any other value of a result file, as its JSON: two spaces of indent, keys without a value left out. */
export const renderJson = (value: unknown): string => screenSafe(`${JSON.stringify(withoutNulls(value), null, 2)}\n`);

/** The JSON of one entry of a list that is the value of a key: each line four spaces to the right, and no end of a line. */
export const renderListEntry = (value: unknown): string =>
  screenSafe(JSON.stringify([[withoutNulls(value)]], null, 2).slice('[\n  [\n'.length, -'\n  ]\n]'.length));

/** The same without the keys whose value is null; in a list null stays. A replacer of `JSON.stringify` takes twice as long. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept: Record<string, unknown> = {};
  for (const key in value) {
    const entry: unknown = value[key as keyof typeof value];
    if (entry === null) continue;
    // Assigned, this one would be no key.
    if (key === '__proto__') Object.defineProperty(kept, key, { value: withoutNulls(entry), enumerable: true });
    else kept[key] = withoutNulls(entry);
  }
  return kept;
}

/** The JSON of an answer with everything that it has, also what is null. */
export const renderAnswer = (value: unknown): string => screenSafe(`${JSON.stringify(value, null, 2)}\n`);
