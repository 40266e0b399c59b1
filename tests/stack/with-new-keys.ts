/** The value as a peer of a later version might send it: every object of it has a key that nobody knows today. */
export function withNewKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNewKeys);
  if (typeof value !== 'object' || value === null) return value;
  const known = Object.entries(value).map(([key, held]) => [key, withNewKeys(held)]);
  return { ...Object.fromEntries(known), keyOfALaterVersion: { since: 'tomorrow' } };
}
