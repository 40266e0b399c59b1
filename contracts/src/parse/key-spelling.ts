/** `caseSensitive` and `case_sensitive` are one key; everything that compares keys compares this spelling. */
export function snakeCase(key: string): string {
  return /^[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+$/.test(key)
    ? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    : key;
}

/** The key of `value` that means `wanted`, in whatever spelling the file has it. */
export function spelledKey(value: Readonly<Record<string, unknown>>, wanted: string): string | undefined {
  if (Object.hasOwn(value, wanted)) return wanted;
  return Object.keys(value).find((key) => snakeCase(key) === snakeCase(wanted));
}
