/** The text with every line but the first indented, so that none of them passes for a line of ours, such as another speaker's. */
export const hangLines = (text: string): string => text.replaceAll(/\r\n?|[\n\u2028\u2029]/g, '\n  ');
