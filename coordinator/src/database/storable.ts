const replacement = '\u{FFFD}';

/** The text as Postgres can hold it: NUL and lone surrogates, which a model may well write, become U+FFFD. */
export function storableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', replacement) : wellFormed;
}

/** The value as JSON text that jsonb accepts, with texts and keys as `storableText` makes them. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Looking at every text costs more than the rare false alarm of an escaped backslash. Most have no escape at all.
  return json.includes('\\u') && /\\u(?:0000|d[89a-f])/.test(json) ? JSON.stringify(clean(value)) : json;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [storableText(key), clean(entry)]));
}
