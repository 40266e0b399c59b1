export const mostCharacters = 200_000;
export const mostTableRows = 10_000;

/** Stands below a table of which there was more. */
export const cutTable = (table: string, rows: number): string => `${table}\n\n[… cut after ${rows} rows]`;

const controls = /[^\P{Cc}\t\n]/gu;

/** The text as it goes to the agent: line ends as `\n`, no other control characters, and cut with a mark where it is too long. */
export function fitMarkdown(text: string): { text: string; isCut: boolean } {
  const clean = text
    .slice(0, mostCharacters + 1)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(controls, '\u{FFFD}')
    .toWellFormed();
  if (text.length <= mostCharacters) return { text: clean.trim(), isCut: false };
  const mark = `\n\n[… cut after ${mostCharacters} characters]`;
  return { text: `${clean.slice(0, mostCharacters - mark.length).trim()}${mark}`.toWellFormed(), isCut: true };
}
