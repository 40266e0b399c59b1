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
export const renderJson = (value: unknown): string =>
  screenSafe(`${JSON.stringify(value, (_key, entry: unknown) => (entry === null ? undefined : entry), 2)}\n`);

/** The JSON of an answer with everything that it has, also what is null. */
export const renderAnswer = (value: unknown): string => screenSafe(`${JSON.stringify(value, null, 2)}\n`);
