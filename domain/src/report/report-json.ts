/** A report, or any other value of a result file, as its JSON: two spaces of indent, keys without a value left out. */
export function renderJson(value: unknown): string {
  return `${JSON.stringify(value, (_key, entry: unknown) => (entry === null ? undefined : entry), 2)}\n`;
}
