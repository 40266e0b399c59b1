/** Text in which `##[`, by which the log of a job knows a command of the old form anywhere in a line, is taken apart. */
export const withoutOldCommands = (text: string): string => text.replaceAll('##[', '# #[');

/** `::` where the log of a job looks for a command: first in a line, whatever that ends with, behind anything blank. */
const atLineStart = /(^|[\n\v\f\r\u0085\u2028\u2029])([[\s\p{Cc}\p{Cf}]--[\n\v\f\r\u0085\u2028\u2029]]*)::/gv;

/** Lines that a job of GitHub Actions prints and never obeys. Nothing else of them changes. */
export const withoutCommands = (text: string): string => withoutOldCommands(text).replaceAll(atLineStart, '$1$2│ ::');
